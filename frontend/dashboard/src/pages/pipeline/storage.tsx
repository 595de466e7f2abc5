import { Section, Table } from "./section";
import { t } from "../../core/language";
import { bytes, role, type Storage } from "../../core/pipeline";
import { Answer } from "../../view/asked";
import { useAnswer } from "../../view/use_answer";

const EVERY_MS = 60_000;

/** What the history, the job's state and each topic take. */
export function StorageSizes() {
  const texts = t().pipeline.storage;
  const asked = useAnswer<Storage>("/pipeline/storage", EVERY_MS);
  return (
    <Section id="storage" title={texts.title}>
      <Answer asked={asked}>
        {({ items, fault }) => (
          <>
            <Table
              caption={texts.title}
              heads={[texts.what, `#${texts.size}`, texts.detail]}
              testId="storage-table"
            >
              {items.map((one) => (
                <tr key={one.name}>
                  <th scope="row">
                    {one.kind === "topic" ? texts.topic(role(one.name)) : texts.kinds[one.kind]}
                  </th>
                  <td class="number">{one.size === null ? "–" : bytes(one.size)}</td>
                  <td class="quiet">{one.detail}</td>
                </tr>
              ))}
            </Table>
            {fault && <p class="quiet">{fault}</p>}
          </>
        )}
      </Answer>
    </Section>
  );
}
