import { useState } from "preact/hooks";
import { Section, Table } from "./section";
import { count } from "../../core/format";
import { t } from "../../core/language";
import { role } from "../../core/pipeline";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";
import type { Ledger, Tally } from "../../contracts.gen";

const COLUMNS = ["events", "duplicates", "late", "dead_letters", "cut", "erased"] as const;

/** The whole ledger: its sum, each topic, and each bucket for who asks. */
export function Accounts({ ledger }: { readonly ledger: Ledger }) {
  const texts = t().pipeline.ledger;
  const [isOpen, open] = useState(false);
  return (
    <Section
      id="accounts"
      title={texts.title}
      aside={
        ledger.topics.length > 0 && (
          <span class={`mark mark-${ledger.balances ? "ok" : "problem"}`}>
            {ledger.balances ? texts.balances : texts.doesNot}
          </span>
        )
      }
    >
      <p class="sum" data-testid="sum">
        <Term sign="" value={ledger.total.requests} name={texts.columns.requests} />
        {COLUMNS.map((column, index) => (
          <Term
            key={column}
            sign={index ? "+" : "="}
            value={ledger.total[column]}
            name={texts.columns[column]}
          />
        ))}
      </p>
      {!ledger.balances && <p class="answer-fault">{ledger.detail}</p>}
      <Table caption={texts.byTopic} heads={heads(texts.topic)}>
        {ledger.topics.map((one) => (
          <Row
            key={one.topic}
            name={`${role(one.topic)} (${texts.buckets(one.buckets)})`}
            tally={one.tally}
            balances={one.balances}
          />
        ))}
      </Table>
      <details onToggle={(event) => open(event.currentTarget.open)}>
        <summary>{texts.byBucket}</summary>
        {isOpen && <Buckets />}
      </details>
    </Section>
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

function heads(first: string): string[] {
  const texts = t().pipeline.ledger;
  const numbers = (["requests", ...COLUMNS] as const).map((name) => `#${texts.columns[name]}`);
  return [first, ...numbers, texts.state];
}

interface RowProps {
  readonly name: string;
  readonly tally: Tally;
  readonly balances: boolean;
}

function Row({ name, tally, balances }: RowProps) {
  const texts = t().pipeline.ledger;
  return (
    <tr>
      <th scope="row">{name}</th>
      {(["requests", ...COLUMNS] as const).map((column) => (
        <td key={column} class="number">
          {count(tally[column])}
        </td>
      ))}
      <td>
        <span class={`mark mark-${balances ? "ok" : "problem"}`}>
          {balances ? texts.balances : texts.doesNot}
        </span>
      </td>
    </tr>
  );
}

/** Of hundreds of buckets; asked for when somebody wants to see them. */
function Buckets() {
  const asked = useAnswer<Ledger>("/ledger?buckets=true");
  const texts = t().pipeline.ledger;
  return (
    <Answer asked={asked}>
      {(ledger) => (
        <div class="long-list">
          <Table caption={texts.byBucket} heads={heads(texts.bucket)} testId="buckets">
            {ledger.buckets.map((one) => (
              <Row
                key={`${one.topic} ${one.partition} ${one.bucket}`}
                name={`${role(one.topic)}/${one.partition} · ${one.bucket}`}
                tally={one.tally}
                balances={one.balances}
              />
            ))}
          </Table>
        </div>
      )}
    </Answer>
  );
}
