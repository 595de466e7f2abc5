"""From a cut of a visitor's events to the session update that consumers read. Pure."""

from contracts import SessionUpdate
from spark_jobs.enrich import decode_context
from spark_jobs.sessions import API, CUSTOM, PAGE, Cut
from spark_jobs.told import Change, Owner


def summarize(change: Change, owner: Owner, epoch: int, processed_time: int) -> SessionUpdate:
    """The published form of a change."""
    cut, context = change.cut, decode_context(change.context)
    events, first, last = cut.events, cut.first, cut.last
    # Lists, as a generator costs more than what a session has of events.
    kinds = [event.kind for event in events]
    shown = [event for event in events if event.kind == PAGE] or events
    return SessionUpdate(
        session_id=change.session_id,
        site_id=owner.site_id,
        visitor_id=owner.named(first),
        other_visitor_ids=_others(cut, owner),
        epoch=epoch,
        revision=change.revision,
        status=change.status,
        merged_into=change.merged_into,
        start=first.time,
        end=last.time,
        last_seen=max([event.time + event.response for event in events]),
        expires=cut.expires,
        duration_ms=last.time - first.time,
        events=len(events),
        pages=kinds.count(PAGE),
        api_calls=kinds.count(API),
        errors=sum([event.is_error for event in events]),
        entry_page=shown[0].path,
        exit_page=shown[-1].path,
        referrer=context.referrer,
        geo=context.geo,
        agent=context.agent,
        attribution=context.attribution,
        flags=_flags(cut, change.is_thinned),
        broker_time=max([event.broker_time for event in events]),
        processed_time=processed_time,
        custom_events=kinds.count(CUSTOM),
        engaged_ms=sum([event.engaged for event in events]),
    )


def _others(cut: Cut, owner: Owner) -> list[str]:
    if not owner.others:
        return []
    names = dict.fromkeys(map(owner.named, cut.events))
    return [name for name in names if name != owner.named(cut.first)]


def _flags(cut: Cut, is_thinned: bool) -> list[str]:
    flags = [cut.reason] if cut.reason else []
    if any(event.is_clamped for event in cut.events):
        flags.append("clock_clamped")
    return [*flags, "thinned"] if is_thinned else flags
