import { ApplyByBackfill } from "./backfills";
import { usePages } from "./pages";
import { Section, Table } from "./section";
import { count, dateTime, span, type Zone } from "../../core/format";
import { t } from "../../core/language";
import type { LateItem } from "../../core/pipeline";
import type { Ledger } from "../../contracts.gen";

const PAGE = 20;

interface Props {
  readonly ledger: Ledger;
  readonly zone: Zone;
  readonly mayAct: boolean;
}

/** Valid events whose session was final, and how they get into one all the same. */
export function LateEvents({ ledger, zone, mayAct }: Props) {
  const texts = t().pipeline.late;
  return (
    <Section id="late" title={texts.title}>
      {ledger.late_listed === 0 ? (
        <p class="quiet">{texts.none}</p>
      ) : (
        <>
          <p>{texts.lead(count(ledger.late_listed), count(ledger.late_placed))}</p>
          {/* A backfill that has placed some changes what each of them says. */}
          <List key={ledger.late_placed} zone={zone} mayAct={mayAct} />
        </>
      )}
    </Section>
  );
}

function List({ zone, mayAct }: Omit<Props, "ledger">) {
  const texts = t().pipeline.late;
  const pages = usePages<LateItem>(`/late-events?limit=${PAGE}`);
  if (pages.fault) return <p class="answer-fault">{pages.fault}</p>;
  if (pages.items === null) return <p class="quiet">{t().pages.loading}</p>;
  return (
    <>
      <Table
        caption={texts.title}
        heads={[texts.happened, texts.site, texts.page, `#${texts.tooLate}`, texts.state]}
        testId="late-table"
      >
        {pages.items.map((one) => (
          <tr key={one.id}>
            <td class="when">{dateTime(one.event.event_time, zone)}</td>
            <td>{one.event.site_id}</td>
            <th scope="row">
              <bdi class="path">{one.event.path}</bdi>
            </th>
            <td class="number">{span(one.late_ms)}</td>
            <td>
              <span class={`mark mark-${one.placed ? "ok" : "note"}`}>
                {one.placed ? texts.placed : texts.waiting}
              </span>
            </td>
          </tr>
        ))}
      </Table>
      {pages.hasMore && (
        <div class="actions">
          <button type="button" class="tool" onClick={pages.more}>
            {texts.more}
          </button>
        </div>
      )}
      <ApplyByBackfill
        waiting={pages.items.filter((one) => !one.placed)}
        zone={zone}
        mayAct={mayAct}
      />
    </>
  );
}
