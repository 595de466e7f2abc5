import { Menu } from "./menu";
import { quantile, PARTS, type DelaySample } from "../core/delay";
import { count, delay, milliseconds } from "../core/format";
import { t } from "../core/language";

/** The measured delay; opened, what it is made of. */
export function DelayMenu({ delays }: { readonly delays: readonly DelaySample[] }) {
  const middle = quantile(delays, "total", 0.5);
  if (middle === null) return null;
  const { delay: texts, badge } = t();
  return (
    <Menu
      class="delay"
      title={texts.title}
      testId="delay"
      summary={
        <>
          <span class="wide-only">{badge.delay} </span>
          {delay(middle)}
        </>
      }
    >
      <h2 class="panel-title">{texts.title}</h2>
      <Parts delays={delays} />
      <p class="quiet">{texts.note(count(delays.length))}</p>
    </Menu>
  );
}

/** What could not be measured is left out. */
function Parts({ delays }: { readonly delays: readonly DelaySample[] }) {
  const { delay: texts } = t();
  const measured = PARTS.filter((part) => quantile(delays, part, 0.5) !== null);
  return (
    <table class="delay-table" data-testid="delay-parts">
      <caption class="visually-hidden">{texts.caption}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.part}</th>
          <th scope="col">{texts.median}</th>
          <th scope="col">{texts.tail}</th>
        </tr>
      </thead>
      <tbody>
        {measured.map((part) => (
          <tr key={part} class={part === "total" ? "is-sum" : ""}>
            <th scope="row">{texts.parts[part]}</th>
            <td class="number">{milliseconds(quantile(delays, part, 0.5)!)}</td>
            <td class="number">{milliseconds(quantile(delays, part, 0.99)!)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
