"""The command import_package: output, files and exit codes."""

from __future__ import annotations

import json
import re
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from importer import sources
from importer.models import ImportRun
from platform_site.accounts.services import update_user
from tests.builders import a_package, model_of, units

pytestmark = pytest.mark.django_db


@pytest.fixture
def good(tmp_path):
    return units("pcs", "kg").as_file(tmp_path / "good.json")


@pytest.fixture
def bad(tmp_path):
    return units("pcs", "pcs", "kg").as_file(tmp_path / "bad.json")


@pytest.fixture
def command(capsys):
    """Return a function that runs the command: exit code, output, progress lines."""

    def call(*arguments):
        code = 0
        try:
            call_command("import_package", *map(str, arguments))
        except SystemExit as ended:
            code = ended.code
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


def test_a_successful_run_prints_its_package_and_counts(command, good):
    """OPEN-66."""
    code, out, _ = command(good)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "corpus.a 1 → Trade, as admin, dates in UTC"
    assert re.fullmatch(r"Inserted +2", lines[1])
    assert "Errors" not in out
    run = ImportRun.objects.get()
    assert re.fullmatch(
        rf"Run {run.run_id} finished\. It took \d+\.\d s: [\d,]+ objects a second\.",
        lines[-1],
    )


def test_only_outcomes_that_occurred_are_printed(command, good):
    command(good)
    _, out, _ = command(good)
    assert re.search(r"^Unchanged +2$", out, re.MULTILINE)
    assert "Inserted" not in out


def test_the_first_line_names_the_zone_and_the_user(command, good, admin, clerk):
    maker = clerk("add_unitofmeasure", name="maker")
    maker.time_zone = "Asia/Tokyo"
    update_user(user=maker)
    _, out, _ = command(good, "--user", "maker", "--dry-run")
    assert out.startswith(
        "Dry run: corpus.a 1 → Trade, as maker, dates in Asia/Tokyo\n"
    )
    _, out, _ = command(good, "--time-zone", "Europe/Berlin")
    assert out.startswith("corpus.a 1 → Trade, as admin, dates in Europe/Berlin\n")


@pytest.mark.parametrize("content", [b"", b"[]", b'{"steps": []}', b'{"version": 1'])
def test_a_package_without_a_header_is_named_by_its_file(command, tmp_path, content):
    file = tmp_path / "broken.json"
    file.write_bytes(content)
    code, out, _ = command(file)
    assert code == 1
    assert out.startswith("broken.json → Trade")


def test_errors_are_printed_with_their_paths(command, bad):
    code, out, _ = command(bad)
    assert code == 1
    assert f"\n{bad} steps[0].items[1].$id: " in out
    assert "stopped at an error" in out


def test_only_the_first_errors_are_printed(command, tmp_path):
    package = a_package().with_step("UnitsOfMeasure")
    for number in range(25):
        package.item(f"u:{number}", code="x", name="x", **{f"unknown{number}": 1})
    file = package.as_file(tmp_path / "many.json")
    code, out, _ = command(file)
    assert code == 1
    assert out.count("many.json") == 10
    assert "and 15 more" in out
    assert "--report FILE" in out
    report = tmp_path / "report.json"
    _, out, _ = command(file, "--report", report)
    assert str(report) in out


def test_refusals_by_the_services_are_printed_too(command, tmp_path):
    package = units("a", "b")
    package.steps[0]["items"][1]["code"] = "a"
    code, out, _ = command(package.as_file(tmp_path / "p.json"))
    assert code == 1
    assert "p.json:1 unit:b code: " in out


def test_errors_passed_with_continue_still_count(command, tmp_path):
    package = units("a", "b", "c")
    package.steps[0]["items"][1]["code"] = "a"
    file = package.as_file(tmp_path / "p.json")
    code, out, _ = command(file, "--continue-on-error")
    assert code == 1
    assert "finished" in out
    assert model_of("UnitsOfMeasure").objects.count() == 2


def test_a_dry_run_says_that_nothing_was_written(command, good):
    code, out, _ = command(good, "--dry-run")
    assert code == 0
    assert "Nothing was written." in out
    assert not model_of("UnitsOfMeasure").objects.exists()
    assert not ImportRun.objects.real().exists()


def test_progress_goes_to_the_error_stream(command, good):
    _, out, err = command(good)
    assert "importing  2 objects\n" in err
    assert "importing" not in out


def test_an_empty_package_prints_no_progress(command, tmp_path):
    code, _, err = command(a_package().as_file(tmp_path / "empty.json"))
    assert (code, err) == (0, "")


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_json_output_is_only_json(command, bad, options):
    code, out, _ = command(bad, "--format", "json", *options)
    report = json.loads(out)
    assert code == 1
    assert set(report) >= {"runId", "counts", "items", "diagnostics", "hasErrors"}
    assert report["hasErrors"] is True


def test_the_report_has_the_shape_of_the_api(command, tmp_path):
    package = units("a", "b")
    package.steps[0]["items"][1]["code"] = "a"
    file, written = package.as_file(tmp_path / "p.json"), tmp_path / "report.json"
    _, out, _ = command(file, "--report", written, "--format", "json")
    report = json.loads(written.read_text(encoding="utf-8"))
    assert report == json.loads(out)
    UUID(report["runId"])
    assert set(report["counts"]) == {
        "Inserted",
        "Unchanged",
        "Updated",
        "Adopted",
        "Restored",
        "SkippedUserModified",
        "SkippedDrift",
        "SkippedDeleted",
        "Failed",
    }
    first, second = report["items"]
    assert first == {
        "id": "unit:a",
        "name": "a a",
        "line": 1,
        "step": 0,
        "index": 0,
        "target": "UnitsOfMeasure",
        "outcome": "Inserted",
        "message": "",
        "rowId": model_of("UnitsOfMeasure").objects.get().pk,
        "changes": None,
        "differences": None,
        "conflicts": None,
        "kept": None,
    }
    assert (second["outcome"], second["rowId"]) == ("Failed", None)


def test_a_long_report_is_valid_json_to_its_end(command, tmp_path):
    package = units(*(f"u{number}" for number in range(1001)))
    file = package.as_file(tmp_path / "long.json")
    _, out, _ = command(file, "--dry-run", "--format", "json")
    items = json.loads(out)["items"]
    assert [item["index"] for item in items] == list(range(1001))


def test_a_report_is_written_for_a_bad_package_too(command, tmp_path):
    file, written = tmp_path / "bad.json", tmp_path / "report.json"
    file.write_bytes(b"{")
    code, _, _ = command(file, "--report", written)
    assert code == 1
    (diagnostic,) = json.loads(written.read_text(encoding="utf-8"))["diagnostics"]
    assert diagnostic["path"] == "$"
    assert "line 1, column 2" in diagnostic["message"]


def test_an_older_report_is_replaced(command, good, tmp_path):
    written = tmp_path / "report.json"
    written.write_text("x" * 100_000, encoding="utf-8")
    command(good, "--report", written)
    assert json.loads(written.read_text(encoding="utf-8"))["hasErrors"] is False


def test_an_embedded_package_is_named_by_its_identifier(command, good, monkeypatch):
    monkeypatch.setattr(sources, "_files", lambda: iter([good]))
    code, out, _ = command("corpus.a")
    assert code == 0
    assert out.startswith("corpus.a 1 → Trade")


def test_causes_come_first_with_their_dependants(command, tmp_path):
    package = units("pcs", "pcs").with_step("Items")
    package.steps[0]["items"][1]["$id"] = "again"
    for number in range(30):
        package.goods(f"item:{number}", f"I{number}", {"$ref": "again"})
    file = package.as_file(tmp_path / "many.json")
    code, out, _ = command(file, "--dry-run")
    errors = out.partition("Errors:\n")[2].partition("\n\n")[0].splitlines()
    assert code == 1
    assert errors[0].startswith(f'{file}:1 again code: "pcs" is already used by ')
    assert errors[1] == "    30 more objects fail only by referring to what failed."
    assert errors[2] == "    Give each object a value of its own."
    assert len(errors) == 3


def test_causes_of_one_kind_are_one_error(command, tmp_path):
    command(units("a", "b", "c", "d", "e").as_file(tmp_path / "before.json"))
    package = units("a", "b", "c", "d", "e", package="other")
    package.with_step("Items").goods("item:1", "I1", {"$ref": "unit:b"})
    package.goods("item:2", "I2", {"$ref": "unit:c"})
    file = package.as_file(tmp_path / "other.json")
    _, out, _ = command(file, "--dry-run")
    errors = out.partition("Errors:\n")[2].partition("\n\n")[0].splitlines()
    assert errors[0] == (
        f"{file}:1 unit:b code: 5 values of code in UnitsOfMeasure are taken by "
        "objects of the package corpus.a."
    )
    assert errors[1] == '    "b" (b b), "c" (c c), "a" (a a) and 2 more'
    assert errors[2] == (
        "    At least 1 more object fails only by referring to what failed."
    )
    assert 'refer to the row with {"$code": …}' in errors[3]
    assert len(errors) == 4


def test_an_error_says_where_in_the_file_its_object_begins(command, tmp_path):
    package = units("a").with_step("Items").goods("item:1", "I1", {"$code": "no"})
    file = package.as_file(tmp_path / "garden.json")
    file.write_text(json.dumps(json.loads(file.read_bytes()), indent=1))
    lines = file.read_text().splitlines()
    begins = next(n for n, text in enumerate(lines) if '"item:1"' in text)
    place = f"{file}:{begins} item:1 unitOfMeasureId: "
    assert f"\n{place}" in command(file)[1]


def test_a_wrong_setting_ends_the_command_before_the_run(good, settings):
    settings.IMPORTER = {**settings.IMPORTER, "RUNS_TO_KEEP": -1}
    with pytest.raises(SystemCheckError, match="RUNS_TO_KEEP") as refused:
        call_command("import_package", str(good), skip_checks=False)
    assert refused.value.returncode == 78
    assert not ImportRun.objects.exists()
