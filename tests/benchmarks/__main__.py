"""Measures on every provider there is, and names the goals that are missed."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import psycopg

from tests.benchmarks import goals, machine, tables, workload
from tests.benchmarks.worker import MEASUREMENTS, add_numbers
from tests.environment import inherited_by_tests


def main():
    """Measure and judge; return 1 if a goal is missed."""
    asked = arguments()
    numbers = {name: n for name, n in vars(asked).items() if isinstance(n, int)}
    result = {**machine.about(), "numbers": numbers, "databases": {}, "providers": {}}
    # A part whose size is 0 is left out.
    for provider in [asked.provider] if asked.provider else providers():
        groups = result["providers"][provider] = {}
        for part in [part for part, names in MEASUREMENTS.items() if numbers[names[0]]]:
            found = measured(provider, part, numbers, asked.tryton)
            groups.update(found["figures"])
            result["databases"].setdefault(provider, found.get("database"))
            # After each part, because it takes hours in all.
            write(asked.json, result)
            print(f"{tables.DATABASES[provider]}: {part} measured", file=sys.stderr)
    print("\n".join(tables.everything(result)))
    missed = goals.missed(result["providers"])
    for one in missed:
        print(f"Missed: {one}", file=sys.stderr)
    return 1 if missed else 0


def arguments():
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", epilog="A part whose size is 0 is left out."
    )
    add_numbers(parser)
    parser.add_argument("--provider", choices=goals.PROVIDERS)
    parser.add_argument("--json", type=Path, help="the file for the figures")
    parser.add_argument("--tryton", help="a Python with trytond, to measure it too")
    asked = parser.parse_args()
    size = workload.batch_size(asked.documents)
    if asked.documents and (not size or size % 2 or asked.documents % size):
        parser.error("--documents are measured by the thousand, or in two even halves")
    return asked


def write(path, result):
    """Write the figures if a file was named."""
    if path:
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def providers():
    """Return SQLite, and PostgreSQL if it is there."""
    yield "Sqlite"
    try:
        psycopg.connect("host=127.0.0.1 dbname=postgres connect_timeout=3").close()
    except psycopg.OperationalError:
        print("PostgreSQL does not answer on 127.0.0.1: it is left out.")
    else:
        yield "PostgreSql"


def measured(provider, part, numbers, tryton):
    """Return the groups of figures of one part, taken in a process of its own."""
    command = [sys.executable, "-m", "tests.benchmarks.worker", part]
    command += ["--provider", provider]
    for name in MEASUREMENTS[part]:
        command += [f"--{name}", str(numbers[name])]
    if tryton:
        command += ["--tryton", tryton]
    environment = {**inherited_by_tests(), "Provider": provider}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        raise SystemExit(f"The measurement of {part} on {provider} failed.")
    return json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    sys.exit(main())
