"""One measurement on one provider in a process of its own: prints its figures as JSON."""

from __future__ import annotations

import argparse
import importlib
import json
import os

import django
from django.conf import settings
from django.db import connection
from django.test.utils import get_runner

NUMBERS = {
    "objects": (20_000, "objects imported by us and by the peers"),
    "big": (250_000, "objects of the big package"),
    "small": (2_000, "objects of the small packages beside it"),
    "events": (1_000_000, "change events that are there already"),
    "lists": (20_000, "rows imported from tables"),
    "documents": (20_000, "documents of ten lines, posted"),
    "creations": (500, "rows created through the API"),
    "pages": (250_000, "rows behind the pages and lists"),
    "served": (20_000, "objects imported beside other calls"),
    "rounds": (3, "how often each measurement is taken"),
}
# The numbers that each measurement takes: a module whose name it has.
MEASUREMENTS = {
    "objects": ("objects", "rounds"),
    "scale": ("big", "small", "events", "rounds"),
    "lists": ("lists", "rounds"),
    "documents": ("documents", "rounds"),
    "requests": ("creations", "rounds"),
    "pages": ("pages", "events"),
    "memory": ("big",),
    "service": ("served", "rounds"),
}
# They run the commands of a new installation.
OF_INSTALLATIONS = ("memory", "service")


def main():
    """Measure what is asked for in a new database."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=MEASUREMENTS)
    add_numbers(parser)
    parser.add_argument("--provider")
    parser.add_argument("--tryton")
    asked = vars(parser.parse_args())
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.benchmarks.settings"
    django.setup()
    if asked["what"] in OF_INSTALLATIONS:
        found = measured(asked, asked["provider"])
        print(json.dumps({"figures": found, "database": database()}))
        return
    runner = get_runner(settings)(verbosity=0, interactive=False)
    databases = runner.setup_databases()
    try:
        print(json.dumps({"figures": measured(asked), "database": database()}))
    finally:
        runner.teardown_databases(databases)


def add_numbers(parser):
    """Add an option for each number."""
    for name, (usual, what) in NUMBERS.items():
        shown = f"{what} ({usual:,})"
        parser.add_argument(f"--{name}", type=int, default=usual, help=shown)


def measured(asked, *before):
    """Return groups of figures."""
    what = asked["what"]
    module = importlib.import_module(f"tests.benchmarks.{what}")
    numbers = [asked[name] for name in MEASUREMENTS[what]]
    if what == "objects":
        return module.measure(*numbers, asked["tryton"])
    if what == "pages":
        return {"pages": with_slowest(module.measure(*numbers))}
    return module.measure(*before, *numbers)


def with_slowest(answers):
    """Return milliseconds and queries by name, with the slowest of each kind, such as
    `page`.

    A name begins with its kind.
    """
    found = {one.name: one.wall for one in answers}
    found |= {f"{one.name}, queries": one.queries for one in answers}
    for one in answers:
        slowest = f"slowest {one.name.split()[0]}"
        found[slowest] = max(one.wall, found.get(slowest, 0))
    return {name: [taken] for name, taken in found.items()}


def database():
    """Return the version of the database, and whether the CPU of its server counts."""
    from tests.benchmarks.timing import server_is_counted

    version = ".".join(map(str, connection.get_database_version()))
    return {"version": version, "is_counted": server_is_counted()}


if __name__ == "__main__":
    main()
