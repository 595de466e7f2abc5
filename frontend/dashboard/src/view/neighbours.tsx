import { Icon } from "./icons";
import type { Biography, Neighbour } from "../core/biography";
import { dateTime, type Zone } from "../core/format";
import { t } from "../core/language";
import { sessionLink } from "../shell/address";

interface Props {
  readonly why: Biography;
  readonly zone: Zone;
}

/** To the sessions that the visitor had before and after. */
export function Neighbours({ why, zone }: Props) {
  const { previous } = why.begins;
  const { next } = why.ends;
  const texts = t().session;
  if (!previous && !next) return <p class="quiet">{texts.onlyOne}</p>;
  return (
    <nav class="neighbours" aria-label={texts.neighbours}>
      {previous && <Way to={previous} text={texts.previous} zone={zone} icon="before" />}
      {next && <Way to={next} text={texts.next} zone={zone} icon="after" />}
    </nav>
  );
}

interface WayProps {
  readonly to: Neighbour;
  readonly text: string;
  readonly zone: Zone;
  readonly icon: "before" | "after";
}

function Way({ to, text, zone, icon }: WayProps) {
  return (
    <a class={`way way-${icon}`} href={sessionLink(to.session_id)}>
      <Icon name={icon} />
      <span>
        <b>{text}</b>
        <small>{dateTime(to.start, zone)}</small>
      </span>
    </a>
  );
}
