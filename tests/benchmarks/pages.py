"""Measure the pages and the API over a big database: time, CPU, and queries of each.

python -m tests.benchmarks.pages --rows 250000 --events 1000000
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlencode

import django

from tests.benchmarks.page_questions import questions

# The most milliseconds of each kind of question.
LIMITS = {"page": 150, "api": 20, "search": 150, "report": 200}


@dataclass
class Answer:
    """What a question took, in milliseconds, and its slowest statement."""

    name: str
    limit: int
    wall: float
    cpu: float
    queries: int
    slowest: float
    statement: str
    size: int = 0

    @property
    def is_over(self):
        return self.wall > self.limit


@dataclass
class Statements:
    """The statements of a request with their milliseconds."""

    taken: list = field(default_factory=list)

    def __call__(self, execute, sql, params, many, context):
        start = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.taken.append(((time.perf_counter() - start) * 1000, sql))

    @contextmanager
    def watched(self):
        from django.db import connection

        with connection.execute_wrapper(self):
            yield self


def measure(rows, events, times=5):
    """Fill the database and return what each question took."""
    from tests.benchmarks.big_database import fill

    fill(rows, events)
    return taken(rows, events, times)


def taken(rows, events, times=5, only=""):
    """Return what each question about a filled database took, the slowest first."""
    from django.contrib.auth import get_user_model
    from django.test import Client
    from rest_framework.test import APIClient

    admin = get_user_model().objects.get(username="admin")
    browser, program = Client(), APIClient()
    browser.force_login(admin)
    program.force_authenticate(admin)
    found = []
    for kind, path, query in questions(rows, events):
        name = path.removeprefix("/admin/").removeprefix("/api/v1/")
        name += f"?{urlencode(query)}" if query else ""
        if only not in f"{kind} {name}":
            continue
        client = program if path.startswith("/api/") else browser
        found.append(_answer(client, kind, f"{kind} {name}", path, query, times))
    return sorted(found, key=lambda answer: -answer.wall)


def _answer(client, kind, name, path, query, times):
    from documents.reports.cache import results

    walls, cpus, statements, size = [], [], Statements(), 0
    for number in range(1 + times):
        results._kept.clear()
        statements.taken = []
        cpu, wall = time.process_time(), time.perf_counter()
        with statements.watched():
            answer = client.get(path, query)
            body = getattr(answer, "streaming_content", None)
            size = len(answer.content) if body is None else sum(map(len, body))
        if number:
            walls.append((time.perf_counter() - wall) * 1000)
            cpus.append((time.process_time() - cpu) * 1000)
    # Some entries of the menu lead elsewhere; a refused filter would too.
    assert answer.status_code == 200 or not query, (name, answer.status_code)
    slowest, statement = max(statements.taken, default=(0, ""))
    return Answer(
        name,
        LIMITS[kind],
        statistics.median(walls),
        statistics.median(cpus),
        len(statements.taken),
        slowest,
        statement,
        size,
    )


def show(answers):
    """Print the answers as a table, and how many are above their limits."""
    print(f"{'ms':>8}{'CPU':>8}{'limit':>7}{'queries':>8}{'slowest':>8}{'kB':>7}")
    for one in answers:
        mark = "*" if one.is_over else " "
        print(
            f"{one.wall:>8.1f}{one.cpu:>8.1f}{one.limit:>6}{mark}{one.queries:>8}"
            f"{one.slowest:>8.1f}{one.size / 1000:>7.0f}  {one.name}"
        )
        if one.is_over:
            print(f"{'':>16}{one.statement[:600]}")
    over = sum(one.is_over for one in answers)
    print(f"{over} of {len(answers)} above their limits")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.pages")
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.settings"
    django.setup()
    from django.conf import settings
    from django.test.utils import get_runner

    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        show(measure(asked.rows, asked.events, asked.times))
    finally:
        runner.teardown_databases(databases)


if __name__ == "__main__":
    main()
