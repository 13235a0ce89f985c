"""A cache of report results in process memory (OPEN-119). A result is valid until some
process changes the registers, or until it expires."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Final

from django.conf import settings

from documents.registers.generation import generation


class ResultCache:
    """The most recent results, limited by number and age."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def result(self, question: Hashable, make: Callable[[], Any]) -> Any:
        """Return the cached result of a question, or call `make` and cache its
        result."""
        limits: dict[str, int] = settings.REPORT_RESULT_CACHE
        # Read the generation first: a result may be newer than its key, never older.
        key, now = (question, generation()), self._clock()
        with self._lock:
            made_at, result = self._kept.get(key, (None, None))
            if made_at is not None and now - made_at < limits["TTL_SECONDS"]:
                self._kept.move_to_end(key)
                return result
        result = make()
        if limits["TTL_SECONDS"]:
            self._keep(key, now, result, limits["MAX_ENTRIES"])
        return result

    def _keep(self, key: Hashable, now: float, result: Any, most: int) -> None:
        with self._lock:
            self._kept[key] = (now, result)
            self._kept.move_to_end(key)
            while len(self._kept) > most:
                self._kept.popitem(last=False)


results: Final = ResultCache()


def answer(ask: Callable[..., list[Any]], as_of: Any, **filters: Any) -> list[Any]:
    """Return the rows of a report, for the API and pages alike."""
    key = (ask.__name__, as_of, *sorted(filters.items()))
    rows: list[Any] = results.result(key, lambda: ask(as_of, **filters))
    return rows
