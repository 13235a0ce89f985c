"""The JSON paths of messages: ``steps[0].items[1].lines[2].itemId`` (OPEN-39)."""

from __future__ import annotations

import re

WHOLE = "$"
_NEXT = re.compile(r"; (?=steps\[[0-9]+\]\.items\[)")
_LONGEST_KEY = 100
_ITEM = re.compile(
    r"steps\[([0-9]+)\]\.items\[([0-9]+)\](?:\.|(?=\[)|$)(.*)", re.DOTALL
)


def step_path(step: int) -> str:
    """Return the path of a step."""
    return f"steps[{step}]"


def item_path(step: int | None, index: int | None) -> str:
    """Return the path of an object: that of its step if the file no longer has it, an
    empty text if its place is unknown."""
    if step is None:
        return ""
    return step_path(step) if index is None else f"steps[{step}].items[{index}]"


def of_item(path: str) -> tuple[int, int, str] | None:
    """Return step, index and the path inside an object, None for other paths."""
    found = _ITEM.fullmatch(path)
    return None if found is None else (int(found[1]), int(found[2]), found[3])


def inside(base: str, path: str) -> str:
    """Return a path continued by an inner path."""
    if not path:
        return base
    if not base:
        return path
    return base + path if path.startswith("[") else f"{base}.{path}"


def of_keys(keys: list[str | int]) -> str:
    """Return keys and indexes joined into a path; ``$`` if there are none."""
    path = ""
    for key in keys:
        part = f"[{key}]" if isinstance(key, int) else key[:_LONGEST_KEY]
        path = inside(path, part)
    return path or WHOLE


def messages_of(message: str) -> list[str]:
    """Return the messages that an entry of a report joins into one."""
    return _NEXT.split(message)
