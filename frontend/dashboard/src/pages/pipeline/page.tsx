// How everything that lies between a click and the screen is doing, and what to do about it.
import "../../styles/pages.css";
import "../../styles/pipeline.css";
import { Findings } from "./findings";
import { Flow } from "./flow";
import { LateEvents } from "./late";
import { Accounts } from "./accounts";
import { DeadLetters } from "./letters";
import { Sites } from "./sites";
import { StorageSizes } from "./storage";
import { mayAdminister } from "../../core/access";
import { t } from "../../core/language";
import type { Pipeline } from "../../core/pipeline";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";
import type { PageProps } from "../../view/lazy";

const EVERY_MS = 5_000;

export function Page({ dashboard }: PageProps) {
  const { zone, standing } = dashboard.model;
  const asked = useAnswer<Pipeline>("/pipeline", EVERY_MS);
  const mayAct = mayAdminister(standing);
  return (
    <main class="page pipeline">
      <div class="page-head">
        <h2 class="page-title">{t().pages.pipeline}</h2>
      </div>
      <Answer asked={asked}>
        {(state) => (
          <div class="pipeline-grid">
            <Findings findings={state.findings} />
            <Accounts ledger={state.ledger} />
            <Flow state={state} zone={zone} />
            <DeadLetters
              counts={state.dead_letters}
              zone={zone}
              mayAct={mayAct}
              onChange={asked.again}
            />
            <LateEvents ledger={state.ledger} zone={zone} mayAct={mayAct} />
            <Sites counts={state.ledger.interceptors} now={state.now} />
            <StorageSizes />
          </div>
        )}
      </Answer>
    </main>
  );
}
