"""A run takes a small constant number of queries per window and writes nothing else."""

from __future__ import annotations

import io
import json
from collections import Counter

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext

from importer.services import ImportOptions, import_package
from tests.builders import stream, units

pytestmark = [
    pytest.mark.counts,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("no_progress_by_the_clock"),
]

# Of a window with something to write: marks, codes, rows named, rows to rewrite,
# unique values, match candidates, the user afresh with his rights, chunk and progress.
MOST_PER_WINDOW = 12
# Of the run itself: what EVERY_RUN lists, its applied version, and runs to remove.
MOST_PER_RUN = 20
# What each run asks, however little it finds to do: is another one left running, its
# record, the version applied before, its total, the marks of its objects, its end with
# the entries that are not stored yet, and which dry runs are over their time.
EVERY_RUN = {
    "SELECT": 5,
    "BEGIN": 3,
    "COMMIT": 3,
    "INSERT importer_importrun": 1,
    "UPDATE importer_importrun": 2,
    "INSERT importer_reportchunk": 1,
}
# Commits need not wait for the disk until the end.
RELAXED = {"sqlite": {"PRAGMA": 2}, "postgresql": {"SET": 2}}


@pytest.fixture
def admin(db):
    return get_user_model().objects.create_superuser("chief")


def package(items, *, changed=0):
    units = [{"$id": f"u{n}", "code": f"U{n}", "name": f"Unit {n}"} for n in range(9)]
    rows = [{"$id": "f", "isFolder": True, "code": "F", "name": "Folder"}]
    rows += [
        {
            "$id": f"i{n}",
            "isFolder": False,
            "code": f"I{n}",
            "name": f"Item {n}{' new' if n < changed else ''}",
            "category": "goods",
            "unitOfMeasureId": {"$code": f"U{n % 9}"},
            "parentId": {"$ref": "f"},
        }
        for n in range(items)
    ]
    steps = [
        {"dictionary": "UnitsOfMeasure", "match": ["code"], "items": units},
        {"dictionary": "Items", "match": ["code"], "items": rows},
    ]
    header = {
        "format": "platform-import/1",
        "package": "counted",
        "version": 1,
        "origin": "import",
        "configuration": "Trade",
    }
    return io.BytesIO(json.dumps({**header, "steps": steps}).encode())


def queries(source, user, **options):
    with CaptureQueriesContext(connection) as captured:
        report = import_package(source, ImportOptions(**options), user=user)
    assert not report.has_errors, report.diagnostics
    return report, [query["sql"] for query in captured.captured_queries]


def kinds(statements):
    """Count statements by verb and table, transaction control by keyword."""
    found = Counter()
    for sql in statements:
        words = sql.split()
        verb = words[0].upper()
        if verb == "INSERT":
            found[f"INSERT {words[2].strip(chr(34))}"] += 1
        elif verb == "UPDATE":
            found[f"UPDATE {words[1].strip(chr(34))}"] += 1
        else:
            found[verb] += 1
    return found


@pytest.mark.parametrize("dry_run", [False, True], ids=["real", "dry run"])
def test_queries_of_a_run_that_changes_nothing(admin, dry_run):
    same = units("a", "b", "c")
    queries(stream(same), admin)
    _, asked = queries(stream(same), admin, dry_run=dry_run)
    if dry_run:
        # The package is kept, so that an import can carry out the plan.
        kept = {"BEGIN": 1, "INSERT importer_packagepiece": 1, "COMMIT": 1}
        own = Counter(kept)
    else:
        own = Counter({"UPDATE importer_appliedpackage": 1})
    assert kinds(asked) == Counter(EVERY_RUN | RELAXED[connection.vendor]) + own


def test_queries_of_a_first_run(admin):
    _, asked = queries(stream(units("a", "b", "c")), admin)
    added = kinds(asked) - Counter(EVERY_RUN | RELAXED[connection.vendor])
    assert added == {
        "SELECT": 2,
        "BEGIN": 3,
        "COMMIT": 3,
        "INSERT catalogs_unitofmeasure": 3,
        "INSERT changes_changeevent": 3,
        "UPDATE importer_appliedpackage": 1,
        "INSERT importer_appliedpackage": 1,
    }


@pytest.mark.parametrize("options", [{}, {"dry_run": True}], ids=["real", "dry run"])
def test_queries_do_not_grow_with_the_objects_of_a_window(admin, options):
    import_package(package(400), ImportOptions(), user=admin)
    _, few = queries(package(40), admin, **options)
    _, many = queries(package(400), admin, **options)
    assert len(many) == len(few)
    assert len(many) <= 2 * MOST_PER_WINDOW + MOST_PER_RUN


def test_a_dry_run_of_new_objects_takes_a_constant_number_of_queries(admin):
    _, few = queries(package(40), admin, dry_run=True)
    _, many = queries(package(400), admin, dry_run=True)
    assert len(many) == len(few) <= 2 * MOST_PER_WINDOW + MOST_PER_RUN


def test_queries_of_a_new_object(admin):
    _, few = queries(package(40), admin)
    before = kinds(few)
    _, many = queries(package(400), admin)
    after = kinds(many)
    added = {kind: after[kind] - before[kind] for kind in after}
    added = {kind: count for kind, count in added.items() if count > 0}
    # The second run meets 40 of the 400 already.
    assert added.pop("INSERT catalogs_item") == 360 - 41
    assert added.pop("INSERT changes_changeevent") == 360 - 41 - 9
    transactions = sum(added.pop(word, 0) for word in ("BEGIN", "COMMIT"))
    assert transactions <= 2 * 360
    # What an item refers to is looked at and locked within its own transaction.
    assert added.pop("SELECT") <= 360 - 41 + MOST_PER_WINDOW
    assert sum(added.values()) <= MOST_PER_WINDOW, added


def test_queries_of_a_changed_object(admin):
    import_package(package(400), ImportOptions(), user=admin)
    _, few = queries(package(400, changed=10), admin)
    _, many = queries(package(400, changed=210), admin)
    before, after = kinds(few), kinds(many)
    assert after["UPDATE catalogs_item"] - before["UPDATE catalogs_item"] == 190
    events = "INSERT changes_changeevent"
    assert after[events] - before[events] == 190
    assert after["SELECT"] - before["SELECT"] == 0
