import { Section, Table } from "./section";
import { ago, clockTime, count, milliseconds, span, type Zone } from "../../core/format";
import { t } from "../../core/language";
import {
  batchFigures,
  isAtEnd,
  isUnknown,
  role,
  type BatchTaken,
  type Partition,
  type Pipeline,
} from "../../core/pipeline";

interface Props {
  readonly state: Pipeline;
  readonly zone: Zone;
}

/** How far everything is: the job by its watermarks and micro-batches, the readers by their lag. */
export function Flow({ state, zone }: Props) {
  const texts = t().pipeline.flow;
  return (
    <>
      <Section id="watermarks" title={texts.watermarks}>
        {state.partitions.length === 0 ? (
          <p class="quiet">{texts.nothing}</p>
        ) : (
          <Watermarks state={state} zone={zone} />
        )}
        <p class="quiet">{texts.watermarkMeans}</p>
      </Section>
      <Section id="batches" title={texts.batches}>
        <Job state={state} />
        <Batches batches={state.batches} zone={zone} />
      </Section>
      <Section id="lag" title={texts.lag}>
        <Lags state={state} />
      </Section>
    </>
  );
}

function Watermarks({ state, zone }: Props) {
  const texts = t().pipeline.flow;
  return (
    <Table
      caption={texts.watermarks}
      heads={[
        texts.partition,
        texts.watermark,
        `#${texts.behind}`,
        `#${texts.heard}`,
        `#${texts.visitors}`,
      ]}
    >
      {state.partitions.map((one) => (
        <tr key={`${one.topic} ${one.partition}`}>
          <th scope="row">
            {role(one.topic)}/{one.partition}
          </th>
          <td>{moment(one, zone)}</td>
          <td class="number">{behind(one)}</td>
          <td class="number">{ago(Math.max(0, state.now - one.told))}</td>
          <td class="number">{count(one.visitors)}</td>
        </tr>
      ))}
    </Table>
  );
}

function moment(one: Partition, zone: Zone): string {
  if (isAtEnd(one.watermark)) return t().pipeline.flow.atEnd;
  return isUnknown(one.watermark) ? "–" : clockTime(one.watermark, zone);
}

/** How far it trailed the clock when it was told. */
function behind(one: Partition): string {
  const isTime = !isAtEnd(one.watermark) && !isUnknown(one.watermark);
  return isTime ? span(Math.max(0, one.told - one.watermark)) : "–";
}

function Job({ state }: { readonly state: Pipeline }) {
  const { job, now } = state;
  const texts = t().pipeline.flow;
  if (job === null) return <p class="quiet">{texts.noJob}</p>;
  const figures = batchFigures(state.batches);
  return (
    <dl class="figures-row">
      <Figure name={texts.last}>{job.batch < 0 ? "–" : milliseconds(job.batch_ms)}</Figure>
      <Figure name={texts.median}>{figures ? milliseconds(figures.median) : "–"}</Figure>
      <Figure name={texts.longest}>{figures ? milliseconds(figures.longest) : "–"}</Figure>
      <Figure name={texts.unread}>{count(job.behind)}</Figure>
      <Figure name={texts.heard}>{ago(now - job.processed_time)}</Figure>
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly children: string;
}

function Figure({ name, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const BAR = 6;
const TALL = 64;

interface BatchesProps {
  readonly batches: readonly BatchTaken[];
  readonly zone: Zone;
}

/** A bar for each micro-batch; the newest are a table, too. */
function Batches({ batches, zone }: BatchesProps) {
  const texts = t().pipeline.flow;
  if (batches.length === 0) return null;
  const most = Math.max(...batches.map((one) => one.batch_ms));
  const newest = batches.slice(-10).reverse();
  return (
    <>
      <svg
        class="batches"
        viewBox={`0 0 ${batches.length * BAR} ${TALL}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        {batches.map((one, index) => {
          const height = Math.max(1, (one.batch_ms / most) * TALL);
          return (
            <rect
              key={one.batch}
              x={index * BAR}
              y={TALL - height}
              width={BAR - 1}
              height={height}
            />
          );
        })}
      </svg>
      <details>
        <summary>{texts.newestBatches}</summary>
        <Table
          caption={texts.newestBatches}
          heads={[texts.batch, texts.when, `#${texts.took}`, `#${texts.records}`]}
        >
          {newest.map((one) => (
            <tr key={one.batch}>
              <th scope="row">{one.batch}</th>
              <td>{clockTime(one.time, zone)}</td>
              <td class="number">{milliseconds(one.batch_ms)}</td>
              <td class="number">{count(one.rows)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  );
}

function Lags({ state }: { readonly state: Pipeline }) {
  const texts = t().pipeline.flow;
  if (state.readers.length === 0) return <p class="quiet">{texts.notReading}</p>;
  const places = new Map<string, { name: string; lags: Record<string, number> }>();
  for (const { reader, topic, partition, lag } of state.readers) {
    const name = `${role(topic)}/${partition}`;
    const place = places.get(name) ?? { name, lags: {} };
    place.lags[reader] = lag;
    places.set(name, place);
  }
  const rows = [...places.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  return (
    <div class="long-list">
      <Table
        caption={texts.lag}
        heads={[texts.partition, `#${texts.readers.history}`, `#${texts.readers.live}`]}
      >
        {rows.map(({ name, lags }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {["history", "live"].map((reader) => (
              <td key={reader} class={`number ${lags[reader] ? "is-behind" : ""}`}>
                {lags[reader] === undefined ? "–" : count(lags[reader])}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </div>
  );
}
