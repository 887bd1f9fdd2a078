"""What a model has learned of its data, forgotten where they turn out to be wrong."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from typing import Any

# Attributes of what was changed, and what they were before, in the order of the changes.
_changes: contextvars.ContextVar[list[tuple[dict[str, Any], dict[str, Any]]] | None] = contextvars.ContextVar("changes", default=None)


def remember(one: object) -> None:
    """Has `undone_on_error` give an object the attributes that it has now."""
    changes = _changes.get()
    if changes is not None:
        changes.append((one.__dict__, dict(one.__dict__)))


@contextlib.contextmanager
def undone_on_error(*several: object) -> Iterator[None]:
    """Where what is in it ends in an error, these objects and those that it remembers are as they were before: the next call, with the right
    data, finds nothing of the wrong ones."""
    outside = _changes.get()
    changes: list[tuple[dict[str, Any], dict[str, Any]]] = [] if outside is None else outside
    first, token = len(changes), _changes.set(changes)
    for one in several:
        remember(one)
    try:
        yield
    except BaseException:
        for attributes, before in reversed(changes[first:]):
            attributes.clear()
            attributes.update(before)
        del changes[first:]
        raise
    finally:
        _changes.reset(token)
