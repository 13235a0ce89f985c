"""The figures of a soak and their bounds: what "flat" means here."""

from __future__ import annotations

import math
import statistics
from itertools import combinations
from typing import NamedTuple

# Growth of memory in percent; threads and descriptors in the last third more than in the
# first (a thread of a pool that is needed late has three of SQLite); answers in the last
# third, and the CPU for them, compared with the first.
GROWTH, MORE, SLOWER, BUSIER = 5, 3, 1.5, 1.25
# Growth of one of several nodes: its first import may come late, and takes some megabytes.
GROWTH_OF_ONE = 10
_MINUTE = 60


class Figure(NamedTuple):
    """A figure with its bound, in words, and whether it is met."""

    name: str
    value: str
    bound: str
    is_met: bool


def warm_up(seconds):
    """Return after how many seconds requests count: servers load modules at first."""
    return min(_MINUTE, seconds / 10)


def latency(requests, seconds):
    """Return how long the requests of each kind took: by minute, and in the first and the
    last third."""
    kinds = {"all": requests}
    for one in requests:
        kinds.setdefault(one[1], []).append(one)
    return {name: _latency(some, seconds) for name, some in sorted(kinds.items())}


def _latency(requests, seconds):
    minutes = [[] for _ in range(math.ceil(seconds / _MINUTE))]
    thirds = {"first": [], "last": []}
    for at, _kind, taken in requests:
        if at >= seconds:
            continue
        minutes[int(at // _MINUTE)].append(taken)
        if warm_up(seconds) <= at < seconds / 3:
            thirds["first"].append(taken)
        elif at >= seconds * 2 / 3:
            thirds["last"].append(taken)
    return {
        "count": len(requests),
        "minutes": [shares(taken) for taken in minutes],
        **{name: shares(taken) for name, taken in thirds.items()},
    }


def shares(taken):
    """Return the median, the slowest hundredth and the slowest of some milliseconds."""
    if not taken:
        return None
    ordered = sorted(taken)
    middle = statistics.median(ordered)
    p99 = ordered[math.ceil(len(ordered) * 0.99) - 1]
    found = {"p50": middle, "p99": p99, "max": ordered[-1]}
    return {name: round(value, 1) for name, value in found.items()}


def slope(xs, ys):
    """Return the rise of a line through points: the median of the slopes between all
    pairs, which single peaks don't move."""
    pairs = combinations(zip(xs, ys, strict=True), 2)
    return statistics.median((y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairs)


def figures(result):
    """Yield each figure of a soak with its bound."""
    seconds = result["minutes"] * _MINUTE
    at = result["samples"]["at"]
    nodes = result["nodes"].values()
    several = len(nodes) > 1
    if several:
        together = _sum(nodes, "pss")
        yield _memory("Memory, all nodes", at, together, seconds, GROWTH)
    for name, node in result["nodes"].items():
        most = GROWTH_OF_ONE if several else GROWTH
        yield _memory(f"Memory, node {name}", at, node["pss"], seconds, most)
        for what in ("threads", "descriptors"):
            yield _at_rest(f"{what.capitalize()}, node {name}", at, node[what], seconds)
    both = result["latency"]["all"]
    for share, words in (("p50", "median"), ("p99", "slowest hundredth")):
        first, last = both["first"][share], both["last"][share]
        value = f"{first:.0f} ms in the first third, {last:.0f} ms in the last"
        bound = f"at most {SLOWER} times as long"
        yield Figure(f"Answers, {words}", value, bound, last <= SLOWER * first)
    yield _cpu(at, _sum(nodes, "cpu"), seconds)
    failed = len(result["failures"])
    yield Figure("Failures", str(failed), "none", not failed)


def _sum(nodes, what):
    """Return the sum of the nodes at each sample."""
    return [sum(taken) for taken in zip(*(node[what] for node in nodes), strict=True)]


def _memory(name, at, taken, seconds, most):
    """Judge the memory of the last two thirds by the line through it."""
    found = [(x, y) for x, y in zip(at, taken, strict=True) if x >= seconds / 3]
    xs, ys = zip(*found, strict=True)
    rise, level = slope(xs, ys), statistics.median(ys)
    growth = 100 * rise * (xs[-1] - xs[0]) / level
    value = f"{level:.0f} MB, {growth:+.1f} % ({rise * 3600:+.1f} MB an hour)"
    bound = f"less than {most} % in the last two thirds"
    return Figure(name, value, bound, growth < most)


def _cpu(at, used, seconds):
    """Judge the CPU time of all nodes, which hardly depends on what else the machine does."""
    found = [one for one in zip(at, used, strict=True) if one[0] >= warm_up(seconds)]
    first = _share([one for one in found if one[0] <= seconds / 3])
    last = _share([one for one in found if one[0] >= seconds * 2 / 3])
    value = f"{first:.0f} % of a core in the first third, {last:.0f} % in the last"
    bound = f"at most {BUSIER} times as much"
    return Figure("CPU, all nodes", value, bound, last <= BUSIER * first)


def _share(found):
    """Return the percents of a core between the first and the last sample."""
    (begun, before), (ended, after) = found[0], found[-1]
    return 100 * (after - before) / (ended - begun)


def _at_rest(name, at, taken, seconds):
    """Judge a number by the lowest of each minute, which is that between imports."""
    found = [
        (x, number)
        for x, number in zip(at, taken, strict=True)
        if x >= warm_up(seconds)
    ]
    before = _rest([one for one in found if one[0] < seconds / 3])
    after = _rest([one for one in found if one[0] >= seconds * 2 / 3])
    numbers = [number for _, number in found]
    value = (
        f"{before} between imports in the first third, {after} in the last;"
        f" {min(numbers)} to {max(numbers)} in all"
    )
    bound = f"at most {MORE} more in the last third"
    return Figure(name, value, bound, after <= before + MORE)


def _rest(found):
    """Return the highest of the lowest numbers of each minute."""
    lowest = {}
    for x, number in found:
        minute = x // _MINUTE
        lowest[minute] = min(number, lowest.get(minute, number))
    return max(lowest.values())
