"""Coroutines that are begun at once, where a task of their own would cost more than they do."""

import asyncio
from collections.abc import Coroutine, Generator
from functools import partial
from types import coroutine
from typing import Any


def begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None] | None:
    """Run ``work`` until it has to wait: a task for its rest, or None when it has ended by then.

    Called by a running event loop. What ``work`` raises before it waits is raised here; that part
    runs outside of any task, so it must not ask for the current one (as ``asyncio.timeout`` does).
    Python 3.12 calls this an eager task.
    """
    try:
        waits_for = work.send(None)
    except StopIteration:
        return None
    return asyncio.get_running_loop().create_task(_finish(work, waits_for))


async def _finish(work: Coroutine[Any, Any, None], waits_for: Any) -> None:
    await _rest(work, waits_for)


@coroutine
def _rest(work: Coroutine[Any, Any, None], waits_for: Any) -> Generator[Any, None, None]:
    while True:
        try:
            yield waits_for
        except BaseException as error:  # a cancellation is for the work, too
            go_on = partial(work.throw, error)
        else:
            go_on = partial(work.send, None)
        try:
            waits_for = go_on()
        except StopIteration:
            return
