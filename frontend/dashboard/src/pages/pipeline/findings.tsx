import { Section } from "./section";
import { t } from "../../core/language";
import { split, type Finding } from "../../core/pipeline";

/** What needs somebody, with what to do; what works is one line that can be opened. */
export function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const [open, fine] = split(findings);
  const texts = t().pipeline.findings;
  return (
    <Section id="findings" title={texts.title}>
      {open.length === 0 && (
        <p class="all-well">
          <span class="mark mark-ok">{texts.levels.ok}</span> {texts.allWell}
        </p>
      )}
      <ul class="findings">
        {open.map((one) => (
          <li key={one.check} class={`finding finding-${one.level}`}>
            <span class={`mark mark-${one.level}`}>{texts.levels[one.level]}</span>
            <div>
              <p>
                <b>{one.check}</b>: {one.what}
              </p>
              {one.todo && <p class="finding-todo">{one.todo}</p>}
            </div>
          </li>
        ))}
      </ul>
      {fine.length > 0 && (
        <details>
          <summary>{texts.fine(fine.length)}</summary>
          <ul class="findings">
            {fine.map((one) => (
              <li key={one.check} class="finding">
                <span class="mark mark-ok">{texts.levels.ok}</span>
                <p>
                  <b>{one.check}</b>: {one.what}
                </p>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}
