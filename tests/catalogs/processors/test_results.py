"""The results of the importing processors, which count every outcome."""

from __future__ import annotations

import pytest

from importer.models import ImportRun
from platform_site.processing import services
from tests.builders import delete_row, edit_row, row_of, units
from tests.catalogs.rows import boss

pytestmark = pytest.mark.django_db


def run(**data):
    return services.execute("ImportPackageFromUrl", data, user=boss()).result


def counts(result):
    names = ("inserted", "updated", "unchanged", "skipped", "failed")
    return {name: result[name] for name in names if result[name]}


def test_restored_rows_count_as_updated_and_every_kind_of_skipped_as_skipped(source):
    """IMP-172 to IMP-175: every outcome is in one of the counts."""
    people = boss()
    source.content = units("a", "b", "c", "d", "e", "f").as_bytes()
    run()
    for code in "abc":
        delete_row(row_of("UnitsOfMeasure", code), actor=people)
    edit_row(row_of("UnitsOfMeasure", "d"), actor=people, name="by hand")
    restored = units("a", "b", onDeleted="restore")
    kept = units("c", "d", "e", "f", onChange="skip")
    for item in kept.steps[0]["items"]:
        item["name"] = "another name"
    restored.steps += kept.steps
    source.content = restored.as_bytes()
    assert counts(run(dryRun=True)) == {"updated": 2, "skipped": 4}
    result = run()
    assert counts(result) == {"updated": 2, "skipped": 4}
    told = ImportRun.objects.get(pk=result["runId"]).counts
    assert {name: count for name, count in told.items() if count} == {
        "Restored": 2,
        "SkippedDeleted": 1,
        "SkippedUserModified": 1,
        "SkippedDrift": 2,
    }


def test_the_message_is_the_cause_with_the_most_dependants(source):
    """IMP-177."""
    package = units("a").unit("bad", "a").unit("needed", "a").with_step("Items")
    package.goods("item", "I", {"$ref": "needed"})
    package.steps[0]["items"][1]["name"] = ""
    source.content = package.as_bytes()
    message = run(continueOnError=True)["message"]
    assert message.startswith('steps[0].items[2].code: "a" is already used by ')
