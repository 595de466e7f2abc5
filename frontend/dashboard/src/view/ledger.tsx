import type { ComponentChildren } from "preact";
import { ago, count, plural, title } from "../core/format";
import type { Model } from "../core/model";
import type {
  InterceptorStats,
  Ledger as Accounts,
  LedgerInterceptors,
  Tally,
} from "../contracts.gen";

const COLUMNS: readonly (readonly [keyof Tally, string])[] = [
  ["events", "events"],
  ["duplicates", "duplicates"],
  ["late", "late"],
  ["dead_letters", "dead letters"],
  ["cut", "cut"],
];

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
          Every request accounted for
        </h2>
        <span role="status" data-testid="ledger-state">
          {ledger && <State ledger={ledger} />}
        </span>
      </div>
      {ledger ? <Content ledger={ledger} now={now} /> : <p class="quiet">Not known yet.</p>}
    </section>
  );
}

function State({ ledger }: { readonly ledger: Accounts }) {
  if (ledger.topics.length === 0) return null;
  const kind = ledger.balances ? "open" : "wrong";
  return (
    <span class={`status status-${kind}`}>{ledger.balances ? "Balances" : "Does not balance"}</span>
  );
}

function Content({ ledger, now }: { readonly ledger: Accounts; readonly now: number }) {
  return (
    <>
      <Equation tally={ledger.total} />
      {!ledger.balances && <p class="ledger-wrong">{ledger.detail}</p>}
      <details>
        <summary>By topic, and what the sites counted</summary>
        <Topics ledger={ledger} />
        <p class="quiet">{waiting(ledger, now)}</p>
        <Interceptors counts={ledger.interceptors} />
      </details>
    </>
  );
}

function Equation({ tally }: { readonly tally: Tally }) {
  return (
    <p class="equation" data-testid="ledger-sum">
      <Term sign="" value={tally.requests} name="requests" />
      {COLUMNS.map(([column, name], index) => (
        <Term key={column} sign={index ? "+" : "="} value={tally[column]} name={name} />
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
      <thead>
        <tr>
          <th scope="col">
            <span class="visually-hidden">What became of a request</span>
          </th>
          {topics.map(({ topic }) => (
            <th key={topic} scope="col" title={topic}>
              {topic.slice(topic.lastIndexOf(".") + 1)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {[...COLUMNS, ["requests", "requests"] as const].map(([column, name]) => (
          <tr key={column} class={column === "requests" ? "is-sum" : ""}>
            <th scope="row">{title(name)}</th>
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
  const late = ledger.late_placed
    ? ` A backfill has placed ${count(ledger.late_placed)} of ${plural(ledger.late_listed, "late event")}.`
    : "";
  if (ledger.behind === null || ledger.job_seen === null) {
    return `No session job has said anything yet.${late}`;
  }
  const when = ago(now - ledger.job_seen);
  const seen = when === "now" ? "just now" : `${when} ago`;
  return `${plural(ledger.behind, "record")} to read, the job said ${seen}.${late}`;
}

function Interceptors({ counts }: { readonly counts: LedgerInterceptors }) {
  return (
    <>
      <h3>{plural(counts.processes, "site process", "site processes")}</h3>
      <dl class="ledger-counts" data-testid="interceptors">
        <Count name="Observed">{count(counts.observed)}</Count>
        <Count name="Sent">{count(counts.sent)}</Count>
        <Count name="Queued">{count(counts.queued)}</Count>
        {counts.spooled > 0 && <Count name="Spooled">{count(counts.spooled)}</Count>}
        {counts.adopted > 0 && <Count name="Adopted">{count(counts.adopted)}</Count>}
        <Count name="Dropped">{reasons(counts.dropped)}</Count>
        <Count name="Lost">{reasons(counts.lost)}</Count>
      </dl>
      <p class="quiet">{counts.detail}</p>
      <Processes newest={counts.newest.slice(0, LISTED_PROCESSES)} />
    </>
  );
}

/** Each site process as it last spoke, those that began last first. */
function Processes({ newest }: { readonly newest: readonly InterceptorStats[] }) {
  if (newest.length === 0) return null;
  return (
    <table class="ledger-table ledger-processes" data-testid="processes">
      <thead>
        <tr>
          <th scope="col">Newest processes</th>
          {["Sent", "Queued", "Spooled", "Lost"].map((name) => (
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
