import { useState } from "preact/hooks";
import { usePages } from "./pages";
import { Section, Table } from "./section";
import { count, dateTime, title, type Zone } from "../../core/format";
import { t } from "../../core/language";
import {
  readable,
  role,
  type DeadLetterItem,
  type RawRecord,
  type ReasonCount,
  type Replayed,
} from "../../core/pipeline";
import { post } from "../../shell/ask";
import { Answer, sentence } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";

const PAGE = 20;

interface Props {
  readonly counts: readonly ReasonCount[];
  readonly zone: Zone;
  readonly mayAct: boolean;
  readonly onChange: () => void;
}

/** Records that are no events: why, what is in them, and another try. */
export function DeadLetters(props: Props) {
  const { counts, mayAct } = props;
  const texts = t().pipeline.letters;
  const [reason, choose] = useState("");
  if (counts.length === 0) {
    return (
      <Section id="letters" title={texts.title}>
        <p class="quiet">{texts.none}</p>
      </Section>
    );
  }
  return (
    <Section id="letters" title={texts.title}>
      <div class="segments reasons" role="group" aria-label={texts.reason}>
        <button type="button" aria-pressed={reason === ""} onClick={() => choose("")}>
          {texts.all} {count(counts.reduce((sum, one) => sum + one.count, 0))}
        </button>
        {counts.map((one) => (
          <button
            key={one.reason}
            type="button"
            aria-pressed={reason === one.reason}
            onClick={() => choose(one.reason)}
          >
            {title(one.reason)} {count(one.count)}
          </button>
        ))}
      </div>
      <List key={reason} {...props} reason={reason} />
      {!mayAct && <p class="quiet">{texts.needsAdmin}</p>}
    </Section>
  );
}

interface ListProps extends Props {
  readonly reason: string;
}

function List({ reason, zone, mayAct, onChange }: ListProps) {
  const texts = t().pipeline.letters;
  const query = reason ? `&reason=${reason}` : "";
  const pages = usePages<DeadLetterItem>(`/dead-letters?limit=${PAGE}${query}`);
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set());
  const [opened, open] = useState<string | null>(null);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    choose(next);
  };
  if (pages.fault) return <p class="answer-fault">{pages.fault}</p>;
  if (pages.items === null) return <p class="quiet">{t().pages.loading}</p>;
  const heads = [texts.when, texts.place, texts.reason, texts.detail, `#${texts.size}`];
  return (
    <>
      <Table
        caption={texts.title}
        heads={mayAct ? [texts.choose, ...heads, texts.record] : heads}
        testId="letters-table"
      >
        {pages.items.map((one) => (
          <>
            <Letter
              key={one.id}
              {...{ one, zone, mayAct, toggle }}
              isChosen={chosen.has(one.id)}
              isOpen={opened === one.id}
              onOpen={() => open(opened === one.id ? null : one.id)}
            />
            {opened === one.id && (
              <Raw key={`raw ${one.id}`} id={one.id} columns={heads.length + 2} />
            )}
          </>
        ))}
      </Table>
      <div class="actions">
        {pages.hasMore && (
          <button type="button" class="tool" onClick={pages.more}>
            {texts.more}
          </button>
        )}
        {mayAct && <Replay chosen={[...chosen]} reason={reason} onDone={onChange} />}
      </div>
    </>
  );
}

interface LetterProps {
  readonly one: DeadLetterItem;
  readonly zone: Zone;
  readonly mayAct: boolean;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly toggle: (id: string) => void;
  readonly onOpen: () => void;
}

function Letter({ one, zone, mayAct, isChosen, isOpen, toggle, onOpen }: LetterProps) {
  const texts = t().pipeline.letters;
  const place = `${role(one.topic)}/${one.partition}/${one.offset}`;
  return (
    <tr>
      {mayAct && (
        <td>
          <input
            type="checkbox"
            aria-label={texts.chooseOne(place)}
            checked={isChosen}
            onChange={() => toggle(one.id)}
          />
        </td>
      )}
      <td class="when">{dateTime(one.broker_time, zone)}</td>
      <th scope="row">{place}</th>
      <td>{title(one.reason)}</td>
      <td class="path wordy">
        <bdi>{one.detail}</bdi>
      </td>
      <td class="number">{count(one.raw_size)} B</td>
      {mayAct && (
        <td>
          <button
            type="button"
            class="text-button"
            aria-expanded={isOpen}
            aria-label={texts.show(place)}
            onClick={onOpen}
          >
            {isOpen ? texts.hide : texts.open}
          </button>
        </td>
      )}
    </tr>
  );
}

interface RawProps {
  readonly id: string;
  readonly columns: number;
}

function Raw({ id, columns }: RawProps) {
  const texts = t().pipeline.letters;
  const asked = useAnswer<RawRecord>(`/dead-letters/${encodeURIComponent(id)}/raw`);
  return (
    <tr class="raw">
      <td colSpan={columns}>
        <Answer asked={asked}>
          {(record) => (
            <>
              <p class="quiet">{texts.sources[record.source]}</p>
              {record.key !== null && (
                <p>
                  {texts.key} <bdi class="path">{record.key}</bdi>
                </p>
              )}
              <pre tabIndex={0} aria-label={texts.record}>
                {readable(record.text)}
              </pre>
            </>
          )}
        </Answer>
      </td>
    </tr>
  );
}

interface ReplayProps {
  readonly chosen: readonly string[];
  readonly reason: string;
  readonly onDone: () => void;
}

/** Sends the chosen records again, or all with the reason; says what became of them. */
function Replay({ chosen, reason, onDone }: ReplayProps) {
  const texts = t().pipeline.letters;
  const [isBusy, work] = useState(false);
  const [done, show] = useState<Replayed | null>(null);
  const [fault, blame] = useState("");
  const replay = async () => {
    work(true);
    blame("");
    const wish = chosen.length > 0 ? { ids: chosen } : reason ? { reason } : {};
    try {
      show(await post<Replayed>("/dead-letters/replay", wish));
      onDone();
    } catch (error) {
      blame(sentence(error));
    }
    work(false);
  };
  return (
    <>
      <button
        type="button"
        class="tool tool-primary"
        disabled={isBusy}
        data-testid="replay"
        onClick={() => void replay()}
      >
        {chosen.length > 0 ? texts.replayThese(count(chosen.length)) : texts.replayAll}
      </button>
      <div role="status" class="outcome" data-testid="replayed">
        {isBusy && texts.replaying}
        {fault && <span class="answer-fault">{fault}</span>}
        {done && !isBusy && !fault && <Outcome done={done} />}
      </div>
      <p class="quiet">{texts.replayMeans}</p>
    </>
  );
}

function Outcome({ done }: { readonly done: Replayed }) {
  const texts = t().pipeline.letters;
  return (
    <>
      <p>
        {done.detail} {done.more && texts.thereAreMore}
      </p>
      {done.reasons.length > 0 && (
        <details>
          <summary>{texts.why}</summary>
          <ul class="whys">
            {done.reasons.map(({ id, why }) => (
              <li key={id}>
                {role(id)}: <bdi>{why}</bdi>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
