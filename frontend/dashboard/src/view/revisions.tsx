import type { Biography, Revision } from "../core/biography";
import { count, dateTime, title, type Zone } from "../core/format";
import { t } from "../core/language";
import { sessionLink } from "../shell/address";

interface Props {
  readonly why: Biography;
  readonly zone: Zone;
}

/** The states that the session had, and the sessions that it took in. */
export function Revisions({ why, zone }: Props) {
  const texts = t().session;
  return (
    <>
      {why.took_in.length > 0 && (
        <section class="took-in">
          <h3>{texts.tookIn}</h3>
          <ul>
            {why.took_in.map((each) => (
              <li key={each.session_id}>
                <a href={sessionLink(each.session_id)}>{dateTime(each.start, zone)}</a>{" "}
                <small>{texts.known(dateTime(each.recorded, zone))}</small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {why.revisions.length > 0 && (
        <details class="details" data-testid="revisions">
          <summary>{texts.revisions(count(why.revisions.length))}</summary>
          <table class="small-table">
            <caption>{texts.revisionsCaption}</caption>
            <thead>
              <tr>
                <th scope="col">{texts.revision}</th>
                <th scope="col">{texts.status}</th>
                <th scope="col">{texts.events}</th>
                <th scope="col">{texts.last}</th>
                <th scope="col">{texts.recorded}</th>
              </tr>
            </thead>
            <tbody>
              {why.revisions.map((each) => (
                <State key={`${each.epoch}.${each.revision}`} state={each} zone={zone} />
              ))}
            </tbody>
          </table>
        </details>
      )}
    </>
  );
}

function State({ state, zone }: { readonly state: Revision; readonly zone: Zone }) {
  return (
    <tr>
      <th scope="row">
        {state.epoch}.{state.revision}
      </th>
      <td>{title(state.status)}</td>
      <td>{count(state.events)}</td>
      <td>{dateTime(state.end, zone)}</td>
      <td>{state.recorded > 0 ? dateTime(state.recorded, zone) : t().session.unrecorded}</td>
    </tr>
  );
}
