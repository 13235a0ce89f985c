"""How many people one node, or several, can serve: a simulation with the measured costs of
requests. `python -m tests.benchmarks.many_users` prints the tables of docs/scaling.md.

People open a page, read it for a while and open the next one. A node is one process: what
it computes in Python is done one request after the other, in slices, and the rest of a
request waits for PostgreSQL, whose cores all nodes share. The costs are those of pages with
250,000 rows and a million events, from docs/performance.json.
"""

from __future__ import annotations

import heapq
import json
import random
import sys
from dataclasses import dataclass, field

from tests.benchmarks.publish import FIGURES

# What a person does in a working hour: (page, how often).
CLERK = {
    "page catalogs/item/?q=123456": 2,
    "page documents/salesorder/": 4,
    "page documents/salesorder/77/": 8,
    "page documents/goodsissue/": 2,
    "page documents/goodsissue/77/": 4,
    "page documents/stockbalance/": 1,
    "page catalogs/item/": 2,
}
# The share of a request that PostgreSQL works, as with single requests of the API.
DATABASE_SHARE = 0.16
THINKING_SECONDS = 15
WARM_UP, SECONDS = 120, 600
LIMIT_MS = 500


@dataclass
class Server:
    """Something that does one piece of work per core at a time, in order of arrival."""

    cores: int
    free_at: list[float] = field(default_factory=list)
    busy: float = 0

    def __post_init__(self):
        self.free_at = [0.0] * self.cores

    def done_at(self, arrival, seconds):
        """Return when a piece of work that arrives then is done."""
        begin = max(arrival, heapq.heappop(self.free_at))
        heapq.heappush(self.free_at, begin + seconds)
        self.busy += seconds
        return begin + seconds


def costs():
    """Return (seconds, weight) of each kind of request."""
    figures = json.loads(FIGURES.read_text("utf-8"))["providers"]["PostgreSql"]["pages"]
    return [(figures[name][0] / 1000, weight) for name, weight in CLERK.items()]


def simulated(people, nodes, database_cores, seed=1):
    """Return the p99 of responses in milliseconds, and how busy nodes and database are."""
    dice = random.Random(seed)
    kinds = costs()
    seconds = [cost for cost, _weight in kinds]
    weights = [weight for _cost, weight in kinds]
    python = [Server(1) for _node in range(nodes)]
    database = Server(database_cores)
    end = WARM_UP + SECONDS
    due = [(dice.uniform(0, THINKING_SECONDS), person) for person in range(people)]
    heapq.heapify(due)
    waits = []
    while due and due[0][0] < end:
        now, person = heapq.heappop(due)
        cost = dice.choices(seconds, weights)[0] * dice.uniform(0.7, 1.5)
        # Any node may get any request, so a busy one gets as many as the others.
        node = dice.choice(python)
        asked = node.done_at(now, cost * (1 - DATABASE_SHARE))
        answered = database.done_at(asked, cost * DATABASE_SHARE)
        if now > WARM_UP:
            waits.append((answered - now) * 1000)
        thinking = dice.expovariate(1 / THINKING_SECONDS)
        heapq.heappush(due, (answered + thinking, person))
    waits.sort()
    total = sum(server.busy for server in python)
    return (
        waits[int(len(waits) * 0.99)],
        total / (nodes * end),
        database.busy / (database_cores * end),
    )


def most_people(nodes, database_cores):
    """Return the largest number of people whose p99 stays below the limit."""
    low, high = 1, 4096
    while low < high:
        people = (low + high + 1) // 2
        if simulated(people, nodes, database_cores)[0] < LIMIT_MS:
            low = people
        else:
            high = people - 1
    return low


def main():
    """Print the tables."""
    mean = sum(c * w for c, w in costs()) / sum(w for _c, w in costs())
    write = sys.stdout.write
    write(f"A request takes {mean * 1000:.0f} ms on average.\n\n")
    write("| Nodes | Cores of PostgreSQL | People | Nodes busy | PostgreSQL busy |\n")
    write("|---:|---:|---:|---:|---:|\n")
    for nodes, cores in ((1, 2), (2, 2), (3, 2), (4, 4), (6, 4), (8, 4)):
        people = most_people(nodes, cores)
        _p99, busy, database = simulated(people, nodes, cores)
        write(f"| {nodes} | {cores} | {people} | {busy:.0%} | {database:.0%} |\n")


if __name__ == "__main__":
    main()
