import type { ComponentChildren } from "preact";
import { ago, count, plural, title } from "../core/format";
import { t } from "../core/language";
import type { Model } from "../core/model";
import type {
  InterceptorStats,
  Ledger as Accounts,
  LedgerInterceptors,
  Tally,
} from "../contracts.gen";

const COLUMNS = ["events", "duplicates", "late", "dead_letters", "cut", "erased"] as const;

/** `./clickwake ledger` lists more. */
const LISTED_PROCESSES = 5;

interface Props {
  readonly model: Model;
  readonly now: number;
}

/** What became of every request: one line, and the rest for who opens it. */
export function Ledger({ model, now }: Props) {
  const { ledger } = model;
  return (
    <section class="panel ledger" aria-labelledby="ledger-title" data-testid="ledger">
      <div class="panel-head">
        <h2 id="ledger-title" class="panel-title">
          {t().ledger.title}
        </h2>
        <span role="status" data-testid="ledger-state">
          {ledger && <State ledger={ledger} />}
        </span>
      </div>
      {ledger ? <Content ledger={ledger} now={now} /> : <p class="quiet">{t().ledger.unknown}</p>}
    </section>
  );
}

function State({ ledger }: { readonly ledger: Accounts }) {
  if (ledger.topics.length === 0) return null;
  const kind = ledger.balances ? "open" : "wrong";
  const { balances, wrong } = t().ledger;
  return <span class={`status status-${kind}`}>{ledger.balances ? balances : wrong}</span>;
}

function Content({ ledger, now }: { readonly ledger: Accounts; readonly now: number }) {
  return (
    <>
      <Equation tally={ledger.total} />
      {!ledger.balances && <p class="ledger-wrong">{ledger.detail}</p>}
      <details>
        <summary>{t().ledger.more}</summary>
        <Topics ledger={ledger} />
        <p class="quiet">{waiting(ledger, now)}</p>
        <Interceptors counts={ledger.interceptors} />
      </details>
    </>
  );
}

function Equation({ tally }: { readonly tally: Tally }) {
  const names = t().ledger.columns;
  return (
    <p class="equation" data-testid="ledger-sum">
      <Term sign="" value={tally.requests} name={names.requests} />
      {COLUMNS.map((column, index) => (
        <Term key={column} sign={index ? "+" : "="} value={tally[column]} name={names[column]} />
      ))}
    </p>
  );
}

interface TermProps {
  readonly sign: string;
  readonly value: number;
  readonly name: string;
}

function Term({ sign, value, name }: TermProps) {
  return (
    <span>
      {sign} <b>{count(value)}</b> {name}
    </span>
  );
}

/** Topics are few and columns many, so each topic is a column. */
function Topics({ ledger }: { readonly ledger: Accounts }) {
  const { topics } = ledger;
  if (topics.length === 0) return null;
  return (
    <table class="ledger-table">
      <caption class="visually-hidden">{t().ledger.more}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">{t().ledger.became}</span>
          </th>
          {topics.map(({ topic }) => (
            <th key={topic} scope="col" title={topic}>
              {topic.slice(topic.lastIndexOf(".") + 1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[...COLUMNS, "requests" as const].map((column) => (
          <tr key={column} class={column === "requests" ? "is-sum" : ""}>
            <th scope="row">{title(t().ledger.columns[column])}</th>
            {topics.map(({ topic, tally }) => (
              <td key={topic} class="number">
                {count(tally[column])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function waiting(ledger: Accounts, now: number): string {
  const texts = t().ledger;
  const late = ledger.late_placed
    ? texts.placed(count(ledger.late_placed), plural(ledger.late_listed, ...texts.lateEvent))
    : "";
  if (ledger.behind === null || ledger.job_seen === null) {
    return `${texts.noJob}${late}`;
  }
  const when = ago(now - ledger.job_seen);
  const seen = when === t().units.now ? texts.justNow : texts.ago(when);
  return `${texts.behind(plural(ledger.behind, ...texts.record), seen)}${late}`;
}

function Interceptors({ counts }: { readonly counts: LedgerInterceptors }) {
  const texts = t().ledger;
  return (
    <>
      <h3>{plural(counts.processes, ...texts.process)}</h3>
      <dl class="ledger-counts" data-testid="interceptors">
        <Count name={texts.observed}>{count(counts.observed)}</Count>
        <Count name={texts.sent}>{count(counts.sent)}</Count>
        <Count name={texts.queued}>{count(counts.queued)}</Count>
        {counts.spooled > 0 && <Count name={texts.spooled}>{count(counts.spooled)}</Count>}
        {counts.adopted > 0 && <Count name={texts.adopted}>{count(counts.adopted)}</Count>}
        <Count name={texts.dropped}>{reasons(counts.dropped)}</Count>
        <Count name={texts.lost}>{reasons(counts.lost)}</Count>
      </dl>
      <p class="quiet">{counts.detail}</p>
      <Processes newest={counts.newest.slice(0, LISTED_PROCESSES)} />
    </>
  );
}

/** Each site process as it last spoke, those that began last first. */
function Processes({ newest }: { readonly newest: readonly InterceptorStats[] }) {
  if (newest.length === 0) return null;
  const texts = t().ledger;
  return (
    <table class="ledger-table ledger-processes" data-testid="processes">
      <caption class="visually-hidden">{texts.newest}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.newest}</th>
          {[texts.sent, texts.queued, texts.spooled, texts.lost].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {newest.map((one) => (
          <tr key={one.instance}>
            <th scope="row" title={one.instance}>
              {one.site_id} {one.instance}
            </th>
            {[one.sent, one.queued, one.spooled, total(one.lost)].map((value, column) => (
              <td key={column} class="number">
                {count(value)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, n) => sum + n, 0);
}

function Count({ name, children }: { readonly name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function reasons(counts: Readonly<Record<string, number>>): string {
  const named = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return named.map(([reason, n]) => `${count(n)} ${reason.replaceAll("_", " ")}`).join(", ") || "0";
}
