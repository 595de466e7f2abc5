"""What the shop's process knows, for as long as somebody looks, of one visitor's last requests."""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable

import msgspec

from contracts import EnrichedEvent, SessionUpdate
from contracts.live import Recovered, ServerMessage, Snapshot, Update
from frontend.demo_site.corner.following import ApiAwayError
from frontend.demo_site.corner.view import Seen, View, latest, seen, session_now
from interceptor import Decision

KEPT = 20
LINGER_S = 20.0
"""For how long the API is still listened to after a page was left: the next one soon asks."""
QUIET_S = 15.0
GATHER_S = 0.04
AGAIN_S = 1.0

Messages = Callable[[str], AsyncIterator[ServerMessage]]


class Visitor:
    """One visitor: the newest decisions, the session, and who wants to be told of changes.

    ``messages`` opens the API's live channel for a visitor id; None: there is no API.
    """

    def __init__(self, messages: Messages | None, dashboard: str) -> None:
        self._messages, self._dashboard = messages, dashboard
        self._decisions: deque[Seen] = deque(maxlen=KEPT)
        self._sessions: dict[str, SessionUpdate] = {}
        self._listeners: set[asyncio.Event] = set()
        self._count = 0
        self._visitor_id = ""
        self._is_following = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_watched(self) -> bool:
        """Whether a page shows it."""
        return bool(self._listeners)

    def note(self, decision: Decision) -> None:
        """One more decision about this visitor."""
        self._count += 1
        self._decisions.appendleft(seen(decision, self._count, _now_ms()))
        if decision.event is not None and decision.event.visitor_id != self._visitor_id:
            self._visitor_id = decision.event.visitor_id
            self._sessions.clear()
            self._stop()
            if self._listeners:
                self._start()
        self._tell()

    def view(self) -> View:
        """As it is now."""
        session = latest(self._sessions)
        return View(
            decisions=list(self._decisions),
            session=session_now(session, self._dashboard) if session else None,
            is_following=self._is_following,
        )

    async def views(self) -> AsyncGenerator[View]:
        """The view now, after each change, and after a while without any."""
        changed = asyncio.Event()
        self._listeners.add(changed)
        try:
            self._start()
            while True:
                changed.clear()
                yield self.view()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), QUIET_S)
                    # A click changes several things at once: they go out together.
                    await asyncio.sleep(GATHER_S)
        finally:
            self._listeners.discard(changed)
            asyncio.get_running_loop().call_later(LINGER_S, self._rest)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener.set()

    def _start(self) -> None:
        if self._messages and self._visitor_id and self._task is None:
            self._task = asyncio.ensure_future(self._follow(self._messages, self._visitor_id))

    def _stop(self) -> None:
        task, self._task, self._is_following = self._task, None, False
        if task is not None:
            task.cancel()

    def _rest(self) -> None:
        if not self._listeners:
            self._stop()

    async def _follow(self, messages: Messages, visitor_id: str) -> None:
        while True:
            with contextlib.suppress(ApiAwayError):
                async for message in messages(visitor_id):
                    self._take(message)
            self._is_following = False
            self._tell()
            await asyncio.sleep(AGAIN_S)

    def _take(self, message: ServerMessage) -> None:
        self._is_following = True
        if isinstance(message, Snapshot | Recovered | Update):
            for update in message.sessions:
                self._sessions[update.session_id] = update
            self._arrived(message.events, is_news=isinstance(message, Update))
        self._tell()

    def _arrived(self, events: list[EnrichedEvent], *, is_news: bool) -> None:
        arrived, now = {event.event_id for event in events}, _now_ms()
        for index, one in enumerate(self._decisions):
            if one.event_id in arrived and not one.is_in_session:
                delay = now - one.time if is_news else None
                self._decisions[index] = msgspec.structs.replace(
                    one, is_in_session=True, delay_ms=delay
                )


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
