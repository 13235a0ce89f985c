"""Measure every provider there is and print the ratios as one table."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import psycopg

from tests.benchmarks.documents import batch_size
from tests.environment import inherited_by_tests

# What is measured, as a ratio of CPU times, and the ratio we hold ourselves to.
RATIOS = (
    ("first import, times django-import-export", "peer first", "ours first"),
    (
        "identical import, times django-import-export",
        "peer identical",
        "ours identical",
    ),
    ("1 % changed, times django-import-export", "peer 1 % changed", "ours 1 % changed"),
    ("identical import : read and hash alone", "ours identical", "read and hash"),
    ("first import : raw driver", "ours first", "raw driver"),
    ("reading Cyrillic : reading ASCII", "read Cyrillic", "read ASCII"),
)
GOALS = {
    "Sqlite": (">= 2.3", ">= 60", "", "<= 3", "", "<= 1.5"),
    "PostgreSql": (">= 1.8", ">= 60", "", "<= 3", "", "<= 1.5"),
}


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks")
    parser.add_argument("--objects", type=int, default=20_000, help="0: none")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--big", type=int, default=250_000, help="0 leaves memory out")
    parser.add_argument("--documents", type=int, default=20_000, help="0: none")
    parser.add_argument("--served", type=int, default=20_000, help="0: not served")
    parser.add_argument("--provider", choices=("Sqlite", "PostgreSql"))
    asked = parser.parse_args()
    size = batch_size(asked.documents)
    if asked.documents and (not size or size % 2 or asked.documents % size):
        parser.error("--documents are measured by the thousand, or in two even halves")
    for provider in [asked.provider] if asked.provider else providers():
        numbers = ["--objects", str(asked.objects), "--rounds", str(asked.rounds)]
        if asked.objects:
            show_speed(provider, asked.objects, worker(provider, "speed", *numbers))
        if asked.big:
            peaks = worker(provider, "memory", "--objects", str(asked.big))
            show_memory(provider, asked.big, peaks)
        if asked.documents:
            numbers = ["--objects", str(asked.documents), "--rounds", str(asked.rounds)]
            medians = worker(provider, "documents", *numbers)
            show_documents(provider, size, medians)
        if asked.served:
            numbers = [provider, str(asked.served)]
            show_served(provider, asked.served, process(provider, "service", *numbers))


def providers():
    yield "Sqlite"
    try:
        psycopg.connect("host=127.0.0.1 dbname=postgres connect_timeout=3").close()
    except psycopg.OperationalError:
        print("PostgreSQL does not answer on 127.0.0.1: it is left out.")
    else:
        yield "PostgreSql"


def worker(provider, *arguments):
    return process(provider, "worker", *arguments)


def process(provider, module, *arguments):
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *arguments]
    environment = {**inherited_by_tests(), "Provider": provider}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"The measurement on {provider} failed.")
    return json.loads(done.stdout.splitlines()[-1])


def show_speed(provider, objects, medians):
    print(f"\n{provider}: {objects:,} objects, median; CPU of the process, wall beside")
    print(f"{'':<24}{'CPU s':>9}{'µs/object':>12}{'objects/s':>12}{'wall s':>9}")
    for name, (cpu, wall) in medians.items():
        each = cpu / objects * 1e6
        print(f"{name:<24}{cpu:>9.2f}{each:>12.1f}{objects / cpu:>12,.0f}{wall:>9.2f}")
    print(f"{'ratio':<48}{'CPU':>8}{'wall':>8}   goal (CPU)")
    for (title, above, below), goal in zip(RATIOS, GOALS[provider], strict=True):
        ratios = [a / b for a, b in zip(medians[above], medians[below], strict=True)]
        print(f"{title:<48}{ratios[0]:>8.2f}{ratios[1]:>8.2f}   {goal}")


def show_memory(provider, objects, peaks):
    print(
        f"\n{provider}: {objects:,} objects in {peaks.pop('file'):.0f} MB, peak memory"
    )
    for name, megabytes in peaks.items():
        print(f"{name:<24}{megabytes:>9.0f} MB   goal < 200 MB")


def show_documents(provider, size, medians):
    print(f"\n{provider}: {size:,} documents of ten lines, posted, median of batches")
    for name, (cpu, wall) in medians.items():
        print(f"{name:<24}{cpu:>9.2f} s CPU{size / cpu:>9,.0f} a second{wall:>9.2f} s")
    cpu = {name: medians[name][0] for name in medians}
    first, last = cpu["ours, first batch"], cpu["ours, last batch"]
    print(f"{'times plain Django, row by row':<48}{cpu['peer'] / first:>8.2f}   >= 2")
    print(f"{'the last batch : the first':<48}{last / first:>8.2f}   <= 1.5")


def show_served(provider, objects, found):
    print(f"\n{provider}: calls while {objects:,} objects are imported behind them, ms")
    for name, numbers in found.items():
        listed = "".join(f"{title} {n:>8.1f}   " for title, n in numbers.items())
        print(f"{name:<12}{listed}")
    idle, busy = found["idle"], found["importing"]
    print(f"{'p99 of reads, times idle':<48}{busy['p99'] / idle['p99']:>8.2f}   <= 3")
    print(f"{'worst wait of a write':<48}{busy['worst write']:>8.1f}   <= 250 ms")


if __name__ == "__main__":
    main()
