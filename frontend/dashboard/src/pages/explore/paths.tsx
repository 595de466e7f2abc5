import { useState } from "preact/hooks";
import { Choice } from "./choice";
import type { PartProps } from "./page";
import { DEPTHS, pagesQuestion, question } from "../../core/exploration";
import type { PathsAnswer, TopAnswer } from "../../core/explore_answers";
import { count, percent } from "../../core/format";
import { t } from "../../core/language";
import { BAR_WIDTH, sankey, shortened, type Bar } from "../../core/sankey";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";

export function PathsPart(props: PartProps) {
  const { asked, filters, place, change } = props;
  const path = question(asked, filters, place);
  const found = useAnswer<PathsAnswer>(path);
  const texts = t().explore.paths;
  return (
    <section class="panel" aria-labelledby="paths-title">
      <div class="panel-head">
        <h3 id="paths-title" class="panel-title">
          {texts.title}
        </h3>
      </div>
      <div class="fields">
        <StartPage {...props} />
        <Choice
          label={texts.direction}
          value={asked.direction}
          options={[
            ["next", texts.next],
            ["previous", texts.previous],
          ]}
          onChange={(direction) => change({ direction })}
        />
        <Choice
          label={texts.depth}
          value={asked.depth}
          options={DEPTHS.map((depth) => [depth, depth] as const)}
          onChange={(depth) => change({ depth })}
        />
      </div>
      {path === null && <p class="hint">{t().explore.chooseDates}</p>}
      <Answer asked={found}>
        {(answer) => <Shown answer={answer} start={(page) => change({ page })} />}
      </Answer>
    </section>
  );
}

/** Any page or pattern; the most viewed ones are offered. */
function StartPage({ asked, filters, place, change }: PartProps) {
  const texts = t().explore.paths;
  const [text, type] = useState(asked.page);
  const [shownFor, follow] = useState(asked.page);
  const pages = useAnswer<TopAnswer>(pagesQuestion(asked, filters, place));
  if (shownFor !== asked.page) {
    // Another page was chosen elsewhere, by a click or by going back.
    follow(asked.page);
    type(asked.page);
  }
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        change({ page: text.trim() });
      }}
    >
      <label for="start-page">{texts.page}</label>
      <input
        id="start-page"
        type="text"
        list="start-pages"
        placeholder={texts.anyPage}
        maxLength={512}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
        onChange={(event) => change({ page: event.currentTarget.value.trim() })}
      />
      <datalist id="start-pages">
        {pages.answer?.items.map(({ value }) => value && <option key={value} value={value} />)}
      </datalist>
    </form>
  );
}

interface ShownProps {
  readonly answer: PathsAnswer;
  readonly start: (page: string) => void;
}

function Shown({ answer, start }: ShownProps) {
  const texts = t().explore.paths;
  if (answer.sessions === 0) return <p class="hint">{texts.nobody}</p>;
  return (
    <>
      <p class="lead">{texts.lead[answer.direction](count(answer.sessions), answer.page ?? "")}</p>
      <Diagram answer={answer} start={start} />
      <h4>{texts.table}</h4>
      <Links answer={answer} start={start} />
    </>
  );
}

function Diagram({ answer, start }: ShownProps) {
  const { bars, bands, width, height, column } = sankey(answer);
  const letters = Math.floor((column - ROOM_FOR_NUMBER) / LETTER);
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={t().explore.paths.diagram}>
      <svg
        class="sankey"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        aria-hidden="true"
        focusable="false"
        data-testid="sankey"
      >
        {bands.map((band) => (
          <path
            key={band.key}
            d={band.path}
            stroke-width={band.width}
            class={band.isEnd ? "sankey-end" : "sankey-band"}
          >
            <title>
              {band.source} → {band.target ?? ended(answer)}: {count(band.sessions)}
            </title>
          </path>
        ))}
        {bars.map((bar) => (
          <DrawnBar
            key={`${bar.number} ${bar.kind} ${bar.path}`}
            {...{ bar, answer, start, letters }}
          />
        ))}
      </svg>
    </div>
  );
}

interface BarProps extends ShownProps {
  readonly bar: Bar;
  readonly letters: number;
}

function DrawnBar({ bar, answer, start, letters }: BarProps) {
  const texts = t().explore.paths;
  const name = { page: bar.path, others: texts.others, ended: ended(answer) }[bar.kind];
  const isPage = bar.kind === "page";
  return (
    <g
      class={`sankey-node sankey-${bar.kind}`}
      onClick={isPage ? () => start(bar.path) : undefined}
    >
      <title>
        {name}: {count(bar.sessions)}
      </title>
      <rect x={bar.x} y={bar.y} width={BAR_WIDTH} height={bar.height} rx="2" />
      <text x={bar.x} y={bar.y - 5}>
        {shortened(name, letters)} <tspan>{count(bar.sessions)}</tspan>
      </text>
    </g>
  );
}

/** Pixels of a wide letter, and what a number after the letters takes. */
const LETTER = 7.5;
const ROOM_FOR_NUMBER = 50;

function ended({ direction }: PathsAnswer): string {
  const texts = t().explore.paths;
  return direction === "next" ? texts.left : texts.began;
}

/** The same as the diagram says, to be read and to go on from. */
function Links({ answer, start }: ShownProps) {
  const texts = t().explore.paths;
  const isBack = answer.direction === "previous";
  const heads = isBack ? [texts.to, texts.from] : [texts.from, texts.to];
  return (
    <div class="table-scroll paths-table" tabIndex={0} role="group" aria-label={texts.table}>
      <table class="data-table" data-testid="paths-table">
        <caption class="visually-hidden">{texts.table}</caption>
        <thead>
          <tr>
            <th scope="col" class="number">
              {texts.step}
            </th>
            {heads.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col" class="number">
              {texts.sessions}
            </th>
            <th scope="col" class="number">
              {texts.share}
            </th>
          </tr>
        </thead>
        <tbody>
          {answer.links.map(({ number, source, target, sessions }) => (
            <tr key={`${number} ${source} ${target ?? ""}`}>
              <td class="number">{number + 1}</td>
              <th scope="row">
                <bdi class="path">{source}</bdi>
              </th>
              <td>
                {target === null ? (
                  <em>{ended(answer)}</em>
                ) : (
                  <button
                    type="button"
                    class="text-button path"
                    title={texts.startHere}
                    onClick={() => start(target)}
                  >
                    <bdi>{target}</bdi>
                  </button>
                )}
              </td>
              <td class="number">{count(sessions)}</td>
              <td class="number">{percent(sessions / answer.sessions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
