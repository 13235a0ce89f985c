"""Lets users, imports and jobs work on real servers for a while, and says whether memory,
threads, descriptors and answers stayed as they were:
`python -m tests.benchmarks.soak --minutes 30 --nodes 1`."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from tests.benchmarks import goals, machine
from tests.benchmarks.soak import verdict
from tests.benchmarks.soak.requests import Journal
from tests.benchmarks.soak.samples import EVERY, Sampler
from tests.benchmarks.soak.servers import COSTS_SECONDS, ITEMS, served
from tests.benchmarks.soak.users import Follower, Shop, users
from tests.benchmarks.soak.work import Importer, ended
from tests.journeys.installation import wait_until

_PROGRAMS = 3
# Each third has several samples.
_LEAST_SECONDS = 8 * EVERY


def main():
    """Work and judge; return 1 if a bound is missed."""
    asked = arguments()
    seconds = asked.minutes * 60
    # In a soak of a few minutes it is due, too.
    costs = min(COSTS_SECONDS, int(seconds / 6))
    company = {"items": asked.items, "costs_seconds": costs}
    with served(asked.provider, asked.nodes, **company) as servers:
        result = {
            **machine.about(),
            **vars(asked),
            **soak(servers, asked.users, seconds),
        }
    del result["json"]
    if asked.json:
        text = json.dumps(result, separators=(",", ":"))
        asked.json.write_text(f"{text}\n", encoding="utf-8")
    found = list(verdict.figures(result))
    for one in found:
        print(f"{'met   ' if one.is_met else 'MISSED'}  {one.name}: {one.value}")
    for failure in result["failures"]:
        print(f"Failure at {failure}", file=sys.stderr)
    return 0 if all(one.is_met for one in found) else 1


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.soak")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--nodes", type=int, choices=(1, 3), default=1)
    parser.add_argument("--users", type=int, default=8, help="three are programs")
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--provider", choices=goals.PROVIDERS)
    parser.add_argument("--json", type=Path, help="the file for the figures")
    asked = parser.parse_args()
    if asked.provider is None:
        asked.provider = "Sqlite" if asked.nodes == 1 else "PostgreSql"
    if asked.nodes > 1 and asked.provider == "Sqlite":
        parser.error("several nodes need --provider PostgreSql")
    if asked.users <= _PROGRAMS:
        parser.error("--users: three are programs, so at least four are needed")
    if asked.minutes * 60 < _LEAST_SECONDS:
        parser.error(f"--minutes: at least {_LEAST_SECONDS} seconds")
    return asked


def soak(servers, count, seconds):
    """Let everybody work for so many seconds; return what was measured."""
    journal = Journal()
    people = users(servers, journal, count, seconds)
    importer, sampler = Importer(servers, journal), Sampler(servers, journal)
    everybody = [*people, importer, sampler]
    for one in everybody:
        one.start()
    while journal.now < seconds and not journal.pause(min(30, seconds - journal.now)):
        failed = f", {len(journal.failures)} failures" if journal.failures else ""
        progress = f"{journal.now / 60:.1f} min, {len(journal.requests)} requests"
        print(f"{time.strftime('%X')} {progress}{failed}", file=sys.stderr)
    journal.over.set()
    for one in everybody:
        one.join()
    (shop,) = (one for one in people if isinstance(one, Shop))
    (follower,) = (one for one in people if isinstance(one, Follower))
    work = {
        **ended(servers),
        "imports": importer.imports,
        "tables": importer.tables,
        "documents": shop.entered,
        "changes": follower.changes,
    }
    waits = "SELECT count(*) FROM webhooks_delivery WHERE sent_at IS NULL"
    wait_until(lambda: servers.installation.rows(waits) == [(0,)])
    work["messages"] = len(servers.receiver.messages)
    check(journal, servers, work)
    return {
        "work": work,
        "statuses": journal.statuses,
        "samples": sampler.common,
        "nodes": sampler.nodes,
        "latency": verdict.latency(journal.requests, seconds),
        "failures": journal.failures,
    }


def check(journal, servers, work):
    """Note what didn't end as it should have, and end the servers."""
    jobs = {f"executions of {name}": n for name, n in work["jobs"].items()}
    runs = {f"runs: {name}": n for name, n in work["runs"].items()}
    for name, count in {**jobs, **runs}.items():
        if not name.endswith(": Completed"):
            journal.fail(f"{count} {name}")
    for one in (servers.inbox / "failed").glob("*"):
        journal.fail(f"A table wasn't imported: {one.name}")
    orders = (work["documents"] + 1) // 2
    if work["messages"] < orders:
        journal.fail(f"{work['messages']} messages about {orders} orders")
    check_end(journal, servers)


def check_end(journal, servers):
    """End the servers, and note what they say of it."""
    for name, code in servers.stop().items():
        if code:
            journal.fail(f"Node {name} ended with {code}")
    for node in servers.nodes:
        for line in errors(node.log.read_text("utf-8")):
            journal.fail(f"Node {node.name} logged: {line}")


def errors(log):
    """Return the lines of a log that tell of errors."""
    marks = (" ERROR ", " CRITICAL ", "Traceback")
    return [line for line in log.splitlines() if any(mark in line for mark in marks)]


if __name__ == "__main__":
    sys.exit(main())
