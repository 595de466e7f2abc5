import { useState } from "preact/hooks";
import { dateTime, type Zone } from "../../core/format";
import { t } from "../../core/language";
import {
  backfillCommand,
  backfillPeriod,
  type Backfill,
  type Backfills,
  type LateItem,
} from "../../core/pipeline";
import { post } from "../../shell/ask";
import { sentence } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";

const EVERY_MS = 3_000;

interface Props {
  /** Late events that are in no session. */
  readonly waiting: readonly LateItem[];
  readonly zone: Zone;
  readonly mayAct: boolean;
}

/** Puts late events where they belong: ordered from here, or by a command where that cannot be. */
export function ApplyByBackfill({ waiting, zone, mayAct }: Props) {
  const texts = t().pipeline.late;
  const asked = useAnswer<Backfills>("/backfills", EVERY_MS);
  const [fault, blame] = useState("");
  if (asked.answer === null) return null;
  const { runs_here: runsHere, items } = asked.answer;
  const period = backfillPeriod(waiting);
  const isBusy = items.some((one) => one.state === "waiting" || one.state === "running");
  const order = () =>
    post("/backfills", { begin: period?.from, end: period?.to }).then(
      () => {
        blame("");
        asked.again();
      },
      (error: unknown) => blame(sentence(error)),
    );
  return (
    <>
      {period && runsHere && mayAct && (
        <div class="actions">
          <button
            type="button"
            class="tool tool-primary"
            disabled={isBusy}
            data-testid="apply"
            onClick={() => void order()}
          >
            {texts.apply}
          </button>
          <p class="quiet">{texts.applyMeans}</p>
        </div>
      )}
      {period && !(runsHere && mayAct) && <Command period={period} />}
      {fault && (
        <p class="answer-fault" role="alert">
          {fault}
        </p>
      )}
      <ul class="findings" data-testid="backfills" aria-live="polite">
        {items.slice(0, SHOWN).map((one) => (
          <Ordered key={one.id} one={one} zone={zone} />
        ))}
      </ul>
    </>
  );
}

const SHOWN = 3;
const MARKS = { waiting: "quiet", running: "note", done: "ok", failed: "problem" } as const;

function Command({ period }: { readonly period: { from: number; to: number } }) {
  return (
    <>
      <p class="quiet">{t().pipeline.late.run}</p>
      <pre tabIndex={0}>{backfillCommand(period)}</pre>
    </>
  );
}

function Ordered({ one, zone }: { readonly one: Backfill; readonly zone: Zone }) {
  const texts = t().pipeline.late;
  return (
    <li class="finding">
      <span class={`mark mark-${MARKS[one.state]}`}>{texts.states[one.state]}</span>
      <div class="backfill">
        <p>{texts.period(dateTime(one.begin, zone), dateTime(one.end, zone))}</p>
        {one.output && (
          <details open={one.state === "failed"}>
            <summary>{texts.said}</summary>
            <pre tabIndex={0}>{one.output}</pre>
          </details>
        )}
      </div>
    </li>
  );
}
