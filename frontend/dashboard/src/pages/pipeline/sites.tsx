import { Section, Table } from "./section";
import { ago, count } from "../../core/format";
import { t } from "../../core/language";
import { byReason, processState } from "../../core/pipeline";
import type { InterceptorStats, LedgerInterceptors } from "../../contracts.gen";

interface Props {
  readonly counts: LedgerInterceptors;
  readonly now: number;
}

/** The sites' own processes: what they saw, and what became of it. */
export function Sites({ counts, now }: Props) {
  const texts = t().pipeline.sites;
  const heads = [texts.process, texts.heard];
  const numbers = [texts.observed, texts.sent, texts.queued, texts.spooled].map((n) => `#${n}`);
  return (
    <Section id="sites" title={texts.title}>
      {counts.newest.length === 0 ? (
        <p class="quiet">{texts.none}</p>
      ) : (
        <div class="long-list">
          <Table
            caption={texts.title}
            heads={[...heads, ...numbers, texts.dropped, texts.lost]}
            testId="sites-table"
          >
            {counts.newest.map((one) => (
              <Process key={one.instance} one={one} now={now} />
            ))}
          </Table>
        </div>
      )}
      <p class="quiet">{counts.detail}</p>
    </Section>
  );
}

function Process({ one, now }: { readonly one: InterceptorStats; readonly now: number }) {
  const texts = t().pipeline.sites;
  const state = processState(one, now);
  return (
    <tr>
      <th scope="row">
        {one.site_id} <span class="instance">{one.instance}</span>
      </th>
      <td>
        <span class={`mark mark-${state === "hearing" ? "ok" : "quiet"}`}>
          {state === "unknown" ? texts.unknown : texts.since(ago(now - (one.told ?? 0)))}
        </span>
      </td>
      {[one.observed, one.sent, one.queued, one.spooled ?? 0].map((value, index) => (
        <td key={index} class="number">
          {count(value)}
        </td>
      ))}
      <td class="wordy">{byReason(one.dropped, count)}</td>
      <td class={Object.keys(one.lost).length > 0 ? "wordy is-lost" : "wordy"}>
        {byReason(one.lost, count)}
      </td>
    </tr>
  );
}
