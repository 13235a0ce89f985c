"""Importing items from CSV: the rows created, refused files, and rights."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile

from catalogs.models import Item
from catalogs.processors import import_items_from_csv as processor
from catalogs.processors.import_items_from_csv import ImportItemsFromCsv
from importer.models import ImportRun
from importer.runs.lock import import_lock
from platform_site.changes.models import ChangeEvent
from platform_site.processing import services
from platform_site.processing.errors import InvalidStateError, ProcessorBusy
from tests.builders import delete_row, edit_row
from tests.catalogs.rows import a_folder, a_unit, an_item, boss, stored
from tests.processing.users import somebody_who_may

pytestmark = pytest.mark.django_db

HEADER = "code;name;unit;parent\n"
SAMPLE = HEADER + "A1;Rice;pcs;FOOD\nA2;Tea, green;pcs;\n"


@pytest.fixture
def world(db):
    a_unit(code="pcs", name="Pieces")
    a_folder(code="FOOD", name="Food")


def run(content, *, user=None, **data):
    raw = content if isinstance(content, bytes) else content.encode()
    upload = SimpleUploadedFile("items.csv", raw, "text/csv")
    return services.execute(
        "ImportItemsFromCsv", data, user=user or boss(), files={"fileId": upload}
    ).result


def counts(result):
    names = ("inserted", "updated", "unchanged", "skipped", "failed")
    return {name: result[name] for name in names if result[name]}


def test_each_row_becomes_an_item(world):
    """IMP-181, IMP-182, IMP-184 to IMP-189."""
    result = run(SAMPLE)
    assert counts(result) == {"inserted": 2}
    assert result["message"] == ""
    rice, tea = Item.objects.filter(is_folder=False).order_by("code")
    assert (rice.code, rice.name, rice.category) == ("A1", "Rice", "goods")
    assert (rice.unit_of_measure.code, rice.parent.code) == ("pcs", "FOOD")
    assert (tea.name, tea.parent) == ("Tea, green", None)
    assert (rice.import_source, rice.import_key) == ("items-csv", "item:A1")


def test_a_second_run_changes_nothing(world):
    run(SAMPLE)
    events = ChangeEvent.objects.count()
    assert counts(run(SAMPLE)) == {"unchanged": 2}
    assert ChangeEvent.objects.count() == events


def test_the_order_of_the_file_does_not_matter(world):
    """IMP-183."""
    run(SAMPLE)
    turned = HEADER + "A2;Tea, green;pcs;\nA1;Rice;pcs;FOOD\n"
    assert counts(run(turned)) == {"unchanged": 2}


def test_a_dry_run_reports_the_same_and_writes_nothing(world):
    result = run(SAMPLE, dryRun=True)
    assert counts(result) == {"inserted": 2}
    assert not Item.objects.filter(is_folder=False).exists()
    assert not ImportRun.objects.real().exists()


def test_a_run_is_in_the_history_with_its_report(world):
    """IMP-191, OPEN-72."""
    result = run(SAMPLE)
    stored_run = ImportRun.objects.get()
    assert str(stored_run.pk) == result["runId"]
    assert stored_run.package == "items-csv"


def test_a_row_created_by_a_user_is_adopted_and_counts_as_inserted(world):
    """IMP-190."""
    unit = a_unit(code="kg", name="Kilo")
    an_item(code="A1", name="Rice", unitOfMeasureId=unit.pk)
    assert counts(run(SAMPLE)) == {"inserted": 2}


def test_changed_and_edited_and_deleted_rows_are_counted(world):
    run(SAMPLE)
    changed = SAMPLE.replace("Rice", "Brown rice")
    assert counts(run(changed)) == {"updated": 1, "unchanged": 1}
    rice, tea = Item.objects.filter(is_folder=False).order_by("code")
    edit_row(rice, actor=boss(), name="Mine")
    delete_row(tea, actor=boss())
    assert counts(run(SAMPLE)) == {"skipped": 2}
    assert stored(rice).name == "Mine"


def test_a_wrong_value_fails_alone_and_is_named(world):
    """IMP-176."""
    result = run(SAMPLE + "A3;Salt;sack;\n")
    assert counts(result) == {"inserted": 2, "failed": 1}
    assert "sack" in result["message"]


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("A3;Salt;;", "unit"),
        ("A3;;pcs;", "name"),
        ("A3;$now;pcs;", "name"),
        (f"{'C' * 51};Salt;pcs;", "code"),
        ("A3;Salt;pcs;A1", "parent"),
    ],
    ids=["no unit", "no name", "a token", "a long code", "an item for a folder"],
)
def test_one_wrong_value_does_not_affect_other_rows(world, row, column):
    result = run(f"{SAMPLE}{row}\n")
    assert counts(result) == {"inserted": 2, "failed": 1}
    assert result["message"].startswith(f"line 4, {column}: ")


def test_a_byte_order_mark_makes_no_difference(world):
    run(SAMPLE)
    assert counts(run(b"\xef\xbb\xbf" + SAMPLE.encode())) == {"unchanged": 2}


def test_quotes_blank_lines_spaces_and_windows_line_ends_are_read(world):
    text = HEADER + 'A1;"Rice; ""long"" grain";pcs;\n\n  \n A2 ; Tea ; pcs ; FOOD \n'
    assert counts(run(text.replace("\n", "\r\n"))) == {"inserted": 2}
    names = Item.objects.filter(is_folder=False).order_by("code")
    assert [each.name for each in names] == ['Rice; "long" grain', "Tea"]


def test_a_file_with_only_a_header_imports_nothing(world):
    assert counts(run(HEADER)) == {}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "must be code;name;unit;parent, but it is empty."),
        ("code;name;unit\n", "The first line of the file must be"),
        ("Code;name;unit;parent\n", "The first line of the file must be"),
        ("code,name,unit,parent\n", "but it is code,name,unit,parent."),
        (
            HEADER + "A1;Rice;pcs\n",
            "Line 2 has 3 values instead of 4 (code;name;unit;parent).",
        ),
        (
            HEADER + "A1;Rice;pcs;;\n",
            "Line 2 has 5 values instead of 4 (code;name;unit;parent).",
        ),
        (HEADER + " ;Rice;pcs;\n", "Line 2 has no code."),
        (
            HEADER + "A1;Rice;pcs;\n\nA1 ;Tea;pcs;\n",
            "Line 4 has the same code as line 2: “A1”.",
        ),
        (HEADER + 'A1;"Rice;pcs;\n', "Line 2 can't be read as CSV"),
        (HEADER.encode() + b"A1;\xff;pcs;\n", "The file isn't UTF-8 text"),
        (SAMPLE.encode("utf-16"), "The file isn't UTF-8 text"),
    ],
    ids=[
        "empty",
        "a column less",
        "another case",
        "commas",
        "too few",
        "too many",
        "no code",
        "a code twice",
        "an open quote",
        "broken UTF-8",
        "UTF-16",
    ],
)
def test_a_wrong_file_fails_as_a_whole(world, content, sentence):
    with pytest.raises(InvalidStateError) as refusal:
        run(content)
    assert sentence in str(refusal.value)
    assert not ImportRun.objects.exists()


def test_a_missing_file_is_reported(world):
    with pytest.raises(InvalidStateError, match=r"^No file chosen\.$"):
        services.execute("ImportItemsFromCsv", user=boss())


def test_the_cap_counts_characters(world, monkeypatch):
    text = HEADER + "A1;Grün;pcs;\n"
    monkeypatch.setattr(processor, "MOST_CHARACTERS", len(text))
    assert counts(run(text)) == {"inserted": 1}
    with pytest.raises(InvalidStateError, match=r"^The file is too large\.$"):
        run(text + "\n")


def test_the_cap_is_five_mebibytes():
    assert processor.MOST_CHARACTERS == 5_242_880


def test_executing_also_needs_the_right_to_write(world):
    person = somebody_who_may(ImportItemsFromCsv)
    result = run(SAMPLE, user=person)
    assert counts(result) == {"failed": 2}
    assert "may not add" in result["message"]
    assert not Item.objects.filter(is_folder=False).exists()


def test_employees_have_the_right_and_users_do_not(db):
    roles = Permission.objects.get(codename="ExecuteImportItemsFromCsv").group_set
    assert set(roles.values_list("name", flat=True)) == {"admin", "employee"}


def test_it_is_refused_while_an_import_is_running(world):
    with (
        import_lock("somebody", "an import"),
        pytest.raises(ProcessorBusy, match="in progress"),
    ):
        run(SAMPLE)
