import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Facts } from "./facts";
import { Flag } from "./flag";
import { Icon } from "./icons";
import { Neighbours } from "./neighbours";
import { Revisions } from "./revisions";
import { Status } from "./row";
import { ShareButton } from "./share";
import { Story } from "./story";
import { Track } from "./track";
import { Visitor } from "./visitor";
import { count, countryName, dateTime, span, title } from "../core/format";
import { t } from "../core/language";
import { newestState, type Detail, type Model } from "../core/model";
import { isHere } from "../core/presence";
import type { Dashboard } from "../shell/dashboard";
import type { SessionUpdate } from "../contracts.gen";

interface Props {
  readonly model: Model;
  readonly detail: Detail;
  readonly dashboard: Dashboard;
  readonly now: number;
}

export function Drawer({ model, detail, dashboard, now }: Props) {
  const session = newestState(model, detail);
  return (
    <Modal class="drawer" label={t().session.title} onClose={() => dashboard.openSession(null)}>
      <header class="drawer-head">
        {session ? (
          <Title session={session} now={now} />
        ) : (
          <h2 tabIndex={-1} autofocus>
            {t().session.title}
          </h2>
        )}
        <ShareButton />
        <button
          type="button"
          class="tool"
          aria-label={t().header.close}
          title={t().header.closeHint}
          onClick={() => dashboard.openSession(null)}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="drawer-body" tabIndex={0}>
        {session && <Content session={session} detail={detail} model={model} now={now} />}
        {!session && <p class="quiet">{absent(detail.state)}</p>}
      </div>
    </Modal>
  );
}

function absent(state: Detail["state"]): string {
  const texts = t().session;
  return state === "ready" ? texts.loading : texts[state];
}

function Title({ session, now }: { readonly session: SessionUpdate; readonly now: number }) {
  const { geo, agent } = session;
  const place = [geo?.city, countryName(geo?.country ?? null)].filter(Boolean).join(", ");
  return (
    <div class="drawer-title">
      {/* The focus starts here, so that a screen reader begins with the place. */}
      <h2 tabIndex={-1} autofocus>
        <Flag country={geo?.country ?? null} /> {place}
      </h2>
      <Status status={session.status} isHere={isHere(session, now)} />
      {agent.is_bot && <mark class="bot">{agent.bot ?? title("bot")}</mark>}
    </div>
  );
}

interface ContentProps {
  readonly session: SessionUpdate;
  readonly detail: Detail;
  readonly model: Model;
  readonly now: number;
}

function Content({ session, detail, model, now }: ContentProps) {
  const texts = t().session;
  return (
    <>
      <p class="drawer-when">
        {dateTime(session.start, model.zone)} {model.zone === "utc" && "UTC"}
      </p>
      <dl class="drawer-figures">
        <Figure name={texts.duration}>{span(session.duration_ms)}</Figure>
        <Figure name={texts.pages}>{count(session.pages)}</Figure>
        <Figure name={texts.calls}>{count(session.api_calls)}</Figure>
        <Figure name={texts.errors}>{count(session.errors)}</Figure>
        {/* Sessions from before scripts reported have neither. */}
        {session.engaged_ms > 0 && <Figure name={texts.reading}>{span(session.engaged_ms)}</Figure>}
        {session.custom_events > 0 && (
          <Figure name={texts.custom}>{count(session.custom_events)}</Figure>
        )}
      </dl>
      {detail.why && <Neighbours why={detail.why} zone={model.zone} />}
      <Track session={session} events={detail.events} />
      <Story session={session} detail={detail} zone={model.zone} />
      <Facts session={session} now={now} zone={model.zone} />
      {detail.why && <Revisions why={detail.why} zone={model.zone} />}
      <Visitor key={session.visitor_id} session={session} zone={model.zone} />
    </>
  );
}

function Figure({ name, children }: { readonly name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface ModalProps {
  readonly class: string;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** The browser's own modal dialog: keeps the focus inside, and gives it back on closing. */
export function Modal({ class: name, label, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current!;
    element.showModal();
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={name}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}
