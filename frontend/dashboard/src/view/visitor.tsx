import { useState } from "preact/hooks";
import { ProblemNote } from "./problem";
import { useAnswer } from "./use_answer";
import { count, dateTime, plural, span, title, type Zone } from "../core/format";
import { VISITOR_ROWS } from "../core/history_query";
import { t } from "../core/language";
import { sessionLink } from "../shell/address";
import type { SessionUpdate } from "../contracts.gen";

interface Props {
  readonly session: SessionUpdate;
  readonly zone: Zone;
}

/** A visitor's newest sessions, and how many there are. */
interface Answer {
  readonly sessions: number;
  readonly items: readonly SessionUpdate[];
}

/** All that is known of the visitor, when somebody wants to know. */
export function Visitor({ session, zone }: Props) {
  const [isOpen, open] = useState(false);
  const id = encodeURIComponent(session.visitor_id);
  const query = new URLSearchParams({ site: session.site_id, limit: String(VISITOR_ROWS) });
  const asked = useAnswer<Answer>(isOpen ? `/visitors/${id}?${query}` : null);
  const texts = t().session;
  return (
    <details class="details" onToggle={(event) => open(event.currentTarget.open)}>
      <summary>{texts.allOfVisitor}</summary>
      {asked.isLoading && <p class="quiet">{texts.loading}</p>}
      {asked.problem && <ProblemNote problem={asked.problem} onAgain={asked.again} />}
      {asked.answer && <Sessions answer={asked.answer} current={session} zone={zone} />}
    </details>
  );
}

interface SessionsProps {
  readonly answer: Answer;
  readonly current: SessionUpdate;
  readonly zone: Zone;
}

function Sessions({ answer, current, zone }: SessionsProps) {
  const texts = t().session;
  const told = t().history;
  return (
    <>
      <table class="small-table">
        <caption>{texts.ofVisitor(plural(answer.sessions, ...texts.sessionForms))}</caption>
        <thead>
          <tr>
            <th scope="col">{told.columns.start}</th>
            <th scope="col">{told.columns.duration}</th>
            <th scope="col">{texts.pages}</th>
            <th scope="col">{told.columns.status}</th>
          </tr>
        </thead>
        <tbody>
          {answer.items.map((each) => (
            <tr key={each.session_id}>
              <td>
                <a
                  href={sessionLink(each.session_id)}
                  aria-current={each.session_id === current.session_id ? "true" : undefined}
                >
                  {dateTime(each.start, zone)}
                </a>
              </td>
              <td>{span(each.duration_ms)}</td>
              <td>{count(each.pages)}</td>
              <td>{title(each.status)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {answer.sessions > answer.items.length && (
        <p class="quiet">{texts.newestOnly(count(answer.items.length))}</p>
      )}
    </>
  );
}
