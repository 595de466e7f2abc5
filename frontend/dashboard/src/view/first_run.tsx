import { useEffect, useRef, useState } from "preact/hooks";
import { Snippet } from "./snippet";
import { FRAMEWORKS, SERVE, SETTINGS, type Framework } from "../core/frameworks";
import { t } from "../core/language";

const NAMES = Object.keys(FRAMEWORKS) as Framework[];
const NOTE_MS = 15_000;

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

/** What sends some visitors, for who only wants to look. */
function SampleTraffic() {
  const { firstRun } = t();
  return (
    <>
      <p>{firstRun.traffic}</p>
      <Snippet text="./clickwake traffic" what={firstRun.trafficCommand} />
      <p>{firstRun.demo}</p>
      <Snippet text="./clickwake demo" what={firstRun.demoCommand} />
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
