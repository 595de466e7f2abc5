import { useEffect, useRef, useState } from "preact/hooks";
import { sentence } from "./asked";
import { useAnswer } from "./use_answer";
import { Snippet } from "./snippet";
import { FRAMEWORKS, SERVE, SETTINGS, type Framework } from "../core/frameworks";
import { t } from "../core/language";
import { post } from "../shell/ask";

const NAMES = Object.keys(FRAMEWORKS) as Framework[];
const NOTE_MS = 15_000;
const LOOK_MS = 5_000;
const VISITORS_PER_MINUTE = 40;

/** Nothing has ever happened: say how to begin. */
export function FirstRun() {
  const { firstRun } = t();
  return (
    <div class="first-run" data-testid="first-run">
      <h3>{firstRun.title}</h3>
      <p>{firstRun.intro}</p>
      <Frameworks />
      <p class="waiting" role="status">
        <span class="waiting-dot" />
        {firstRun.waiting}
      </p>
      <SampleTraffic />
    </div>
  );
}

function Frameworks() {
  const [chosen, choose] = useState<Framework>("FastAPI");
  const { firstRun } = t();
  return (
    <>
      <div class="segments" role="group" aria-label={firstRun.frameworks}>
        {NAMES.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <Snippet text={FRAMEWORKS[chosen]} what={firstRun.middleware} />
      <p>{firstRun.serve}</p>
      <Snippet text={`${SETTINGS}\n${SERVE[chosen]}`} what={firstRun.server} />
    </>
  );
}

interface Traffic {
  readonly available: boolean;
  readonly visitors_per_minute: number | null;
}

/** For who only wants to look: a button where a demo has visitors to send, else its command. */
function SampleTraffic() {
  const { firstRun } = t();
  const asked = useAnswer<Traffic>("/sample-traffic", LOOK_MS);
  if (asked.answer?.available) return <Send traffic={asked.answer} onDone={asked.again} />;
  return (
    <>
      <p>{firstRun.demo}</p>
      <Snippet text="./clickwake demo" what={firstRun.demoCommand} />
    </>
  );
}

interface SendProps {
  readonly traffic: Traffic;
  readonly onDone: () => void;
}

function Send({ traffic, onDone }: SendProps) {
  const { firstRun } = t();
  const [fault, blame] = useState("");
  const send = () =>
    post("/sample-traffic", { visitors_per_minute: VISITORS_PER_MINUTE }).then(
      onDone,
      (error: unknown) => blame(sentence(error)),
    );
  if (traffic.visitors_per_minute) return <p role="status">{firstRun.onTheirWay}</p>;
  return (
    <>
      <p>{firstRun.traffic}</p>
      <button type="button" class="tool" onClick={() => void send()}>
        {firstRun.send}
      </button>
      {fault && (
        <p class="answer-fault" role="alert">
          {fault}
        </p>
      )}
    </>
  );
}

/** The waiting sign turned green: for some seconds after the first event, where it was awaited. */
export function FirstEventNote({ isEmpty }: { readonly isEmpty: boolean }) {
  const wasEmpty = useRef(false);
  const [arrived, arrive] = useState(false);
  useEffect(() => {
    if (isEmpty) wasEmpty.current = true;
    if (isEmpty || !wasEmpty.current) return;
    wasEmpty.current = false;
    arrive(true);
    const timer = window.setTimeout(() => arrive(false), NOTE_MS);
    return () => window.clearTimeout(timer);
  }, [isEmpty]);
  if (!arrived) return null;
  return (
    <p class="waiting has-arrived" role="status" data-testid="first-event">
      <span class="waiting-dot" />
      {t().firstRun.arrived}
    </p>
  );
}
