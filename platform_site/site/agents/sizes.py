"""The size of answers to agents, whose memory is short."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

LARGEST_ANSWER: Final = 100_000
_CUT: Final = (
    "This answer was too long: some lists in it end early. Ask for less, such as one row "
    "or a smaller package, or open the page in `link`."
)


def as_text(value: Any) -> str:
    """Return a value as JSON without needless spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def capped(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer of at most 100 kB; of its longest lists only the beginning is
    kept, and `cut` says so."""
    answer = json.loads(as_text(answer))
    while len(as_text(answer)) > LARGEST_ANSWER:
        longest = max(_lists(answer), key=lambda each: len(as_text(each)), default=[])
        if longest:
            del longest[len(longest) // 2 :]
            answer["cut"] = _CUT
        else:
            kept = {k: v for k, v in answer.items() if k in ("summary", "link")}
            return {**kept, "cut": _CUT}
    return answer


def compact(value: Any) -> Any:
    """Return a value without members that are null or empty."""
    if isinstance(value, list):
        return [compact(each) for each in value]
    if isinstance(value, dict):
        shorter = {key: compact(each) for key, each in value.items()}
        return {k: v for k, v in shorter.items() if v not in (None, "", [], {})}
    return value


def _lists(value: Any) -> Iterator[list[Any]]:
    """Yield the lists inside that aren't empty."""
    inside = value.values() if isinstance(value, dict) else value
    if isinstance(value, list) and value:
        yield value
    if isinstance(value, (dict, list)):
        for each in inside:
            yield from _lists(each)
