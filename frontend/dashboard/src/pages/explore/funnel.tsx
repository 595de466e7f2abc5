import { Builder } from "./builder";
import { Choice } from "./choice";
import type { PartProps } from "./page";
import { question, stepName, WITHIN } from "../../core/exploration";
import type { FunnelAnswer, FunnelStep } from "../../core/explore_answers";
import { count, percent, span } from "../../core/format";
import { t } from "../../core/language";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";

export function FunnelPart(props: PartProps) {
  const { asked, filters, place, change } = props;
  const path = question(asked, filters, place);
  const found = useAnswer<FunnelAnswer>(path);
  const texts = t().explore;
  return (
    <div class="explore-split">
      <section class="panel" aria-labelledby="funnel-title">
        <div class="panel-head">
          <h3 id="funnel-title" class="panel-title">
            {texts.funnel.title}
          </h3>
        </div>
        <div class="fields">
          <Choice
            label={texts.funnel.by}
            value={asked.by}
            options={[
              ["session", texts.funnel.bySession],
              ["visitor", texts.funnel.byVisitor],
            ]}
            onChange={(by) => change({ by })}
          />
          <Choice
            label={texts.funnel.within}
            value={asked.within}
            options={WITHIN.map((within) => [within, texts.funnel.limits[within]] as const)}
            onChange={(within) => change({ within })}
          />
        </div>
        {path === null && <p class="hint">{texts.funnel.hint}</p>}
        <Answer asked={found}>{(answer) => <Shown answer={answer} />}</Answer>
      </section>
      <Builder {...props} />
    </div>
  );
}

function Shown({ answer }: { readonly answer: FunnelAnswer }) {
  const texts = t().explore.funnel;
  const { steps, entered, median_ms } = answer.current;
  const first = steps[0]?.count ?? 0;
  const last = steps[steps.length - 1]?.count ?? 0;
  const names = { session: texts.sessions, visitor: texts.visitors }[answer.by];
  return (
    <>
      <p class="lead" data-testid="funnel-lead">
        {first === 0
          ? texts.nobody(count(entered), names)
          : texts.lead(count(last), count(first), percent(last / first), names)}
        {median_ms !== null && ` ${texts.median(span(median_ms))}`}
      </p>
      <ol class="funnel" aria-hidden="true">
        {steps.map((step, index) => (
          <Bar key={index} step={step} index={index} first={first} />
        ))}
      </ol>
      <Table answer={answer} names={names} />
    </>
  );
}

interface BarProps {
  readonly step: FunnelStep;
  readonly index: number;
  readonly first: number;
}

/** The solid part came, the pale one came to the step before and left. */
function Bar({ step, index, first }: BarProps) {
  const { name } = stepName(step.step);
  const share = first > 0 ? step.count / first : 0;
  const kept = step.rate_from_previous;
  const before = kept ? share / kept : share;
  return (
    <li>
      <div class="funnel-name">
        <b>{index + 1}</b> <span title={name}>{name}</span>
      </div>
      <div class="funnel-track">
        <div class="funnel-lost" style={{ width: `${Math.min(1, before) * 100}%` }} />
        <div class="funnel-bar" style={{ width: `${share * 100}%` }} />
        <span class="funnel-count">
          {count(step.count)} · {percent(share)}
        </span>
      </div>
    </li>
  );
}

interface TableProps {
  readonly answer: FunnelAnswer;
  readonly names: string;
}

function Table({ answer, names }: TableProps) {
  const texts = t().explore.funnel;
  const { steps } = answer.current;
  return (
    <div class="table-scroll" tabIndex={0} role="group" aria-label={texts.table}>
      <table class="data-table" data-testid="funnel-table">
        <caption class="visually-hidden">{texts.table}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.step}</th>
            {[names, texts.ofFirst, texts.ofPrevious, texts.dropOff, texts.time].map((name) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => (
            <tr key={index}>
              <th scope="row">
                {index + 1}. <Step step={step.step} />
              </th>
              <td class="number">{count(step.count)}</td>
              <td class="number">{share(step.rate)}</td>
              <td class="number">{share(step.rate_from_previous)}</td>
              <td class="number">{index === 0 ? "–" : lost(steps[index - 1]!, step)}</td>
              <td class="number">
                {step.median_from_previous_ms === null ? "–" : span(step.median_from_previous_ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A step's name; a custom event says that it is one. */
export function Step({ step }: { readonly step: string }) {
  const { name, isEvent } = stepName(step);
  return (
    <>
      {isEvent && <span class="tag">{t().explore.event}</span>}
      <bdi class="path" title={name}>
        {name}
      </bdi>
    </>
  );
}

function share(rate: number | null): string {
  return rate === null ? "–" : percent(rate);
}

function lost(before: FunnelStep, step: FunnelStep): string {
  const left = before.count - step.count;
  return before.count === 0 ? "–" : `−${count(left)}`;
}
