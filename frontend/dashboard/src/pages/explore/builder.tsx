import { useState } from "preact/hooks";
import { Step } from "./funnel";
import type { PartProps } from "./page";
import {
  eventStep,
  FEWEST_STEPS,
  MOST_STEPS,
  movedStep,
  namesQuestion,
  pagesQuestion,
  withoutStep,
  withStep,
} from "../../core/exploration";
import type { NamesAnswer, TopAnswer } from "../../core/explore_answers";
import { count } from "../../core/format";
import { t } from "../../core/language";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";
import { Icon } from "../../view/icons";

/** Builds a funnel: its steps in order, and what can be clicked to become one. */
export function Builder({ asked, filters, place, change }: PartProps) {
  const texts = t().explore.builder;
  const pages = useAnswer<TopAnswer>(pagesQuestion(asked, filters, place));
  const names = useAnswer<NamesAnswer>(namesQuestion(asked, place));
  const add = (step: string) => change(withStep(asked, step));
  const isFull = asked.steps.length >= MOST_STEPS;
  return (
    <section class="panel builder" aria-labelledby="builder-title">
      <div class="panel-head">
        <h3 id="builder-title" class="panel-title">
          {texts.title}
        </h3>
        {asked.steps.length > 0 && (
          <button type="button" class="text-button" onClick={() => change({ steps: [] })}>
            {texts.clear}
          </button>
        )}
      </div>
      <Steps asked={asked} change={change} />
      <OwnStep add={add} isFull={isFull} />
      <h4>{texts.pages}</h4>
      <Answer asked={pages}>
        {(answer) => (
          <Offers
            add={add}
            isFull={isFull}
            offers={answer.items.flatMap(({ value, metrics }) =>
              value ? [{ step: value, number: metrics.views }] : [],
            )}
          />
        )}
      </Answer>
      {Boolean(names.answer?.event_names.length) && (
        <>
          <h4>{texts.events}</h4>
          <Offers
            add={add}
            isFull={isFull}
            offers={names.answer!.event_names.map(({ name, events }) => ({
              step: eventStep(name),
              number: events,
            }))}
          />
        </>
      )}
    </section>
  );
}

function Steps({ asked, change }: Pick<PartProps, "asked" | "change">) {
  const texts = t().explore.builder;
  const { steps } = asked;
  if (steps.length === 0) return <p class="quiet">{texts.none}</p>;
  return (
    <>
      <ol class="steps" data-testid="steps">
        {steps.map((step, index) => (
          <li key={`${index} ${step}`}>
            <b aria-hidden="true">{index + 1}</b>
            <span class="steps-name">
              <Step step={step} />
            </span>
            <Tool
              name={texts.up(step)}
              shown="↑"
              isOff={index === 0}
              act={() => change(movedStep(asked, index, -1))}
            />
            <Tool
              name={texts.down(step)}
              shown="↓"
              isOff={index === steps.length - 1}
              act={() => change(movedStep(asked, index, 1))}
            />
            <Tool
              name={texts.remove(step)}
              shown="×"
              isOff={false}
              act={() => change(withoutStep(asked, index))}
            />
          </li>
        ))}
      </ol>
      {steps.length < FEWEST_STEPS && <p class="quiet">{texts.oneMore}</p>}
    </>
  );
}

interface ToolProps {
  readonly name: string;
  readonly shown: string;
  readonly isOff: boolean;
  readonly act: () => void;
}

function Tool({ name, shown, isOff, act }: ToolProps) {
  return (
    <button
      type="button"
      class="small-tool"
      aria-label={name}
      title={name}
      disabled={isOff}
      onClick={act}
    >
      {shown}
    </button>
  );
}

interface OwnProps {
  readonly add: (step: string) => void;
  readonly isFull: boolean;
}

function OwnStep({ add, isFull }: OwnProps) {
  const texts = t().explore.builder;
  const [text, type] = useState("");
  return (
    <form
      class="own-step"
      onSubmit={(event) => {
        event.preventDefault();
        add(text);
        type("");
      }}
    >
      <input
        type="text"
        aria-label={texts.own}
        placeholder={texts.own}
        maxLength={512}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <button type="submit" class="tool" disabled={isFull || text.trim() === ""}>
        {texts.add}
      </button>
    </form>
  );
}

interface Offer {
  readonly step: string;
  readonly number: number;
}

interface OffersProps extends OwnProps {
  readonly offers: readonly Offer[];
}

function Offers({ offers, add, isFull }: OffersProps) {
  const texts = t().explore.builder;
  if (offers.length === 0) return <p class="quiet">{texts.nothing}</p>;
  return (
    <ul class="offers">
      {offers.map(({ step, number }) => (
        <li key={step}>
          <button type="button" disabled={isFull} onClick={() => add(step)}>
            <Icon name="plus" />
            <span class="visually-hidden">{texts.addStep}</span>
            <Step step={step} />
            <span class="offers-count">{count(number)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
