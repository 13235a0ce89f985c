"""Unusual conditions of a run: files, terminals, locks and users."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from unittest import mock
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from importer import conf, services
from importer.models import ImportRun
from importer.runs import history
from platform_site.accounts.services import create_user, delete_user, update_user
from platform_site.settings.configuration import APPLICATION_FOLDER
from tests.builders import a_package, messages, model_of, outcomes, units

pytestmark = pytest.mark.django_db

TOO_LONG = "x" * 5000
LONG_AND_LOUD = ["y" * 100_000, "a\x1b[31m", "a\nb", "\udcff"]


@pytest.fixture
def good(tmp_path):
    return units("pcs").as_file(tmp_path / "good.json")


def ended(*arguments):
    """Return exit code and sentence of a refused command."""
    with pytest.raises(CommandError) as refused:
        call_command("import_package", *map(str, arguments))
    return refused.value.returncode, str(refused.value)


def test_impossible_file_names_are_refused_with_a_sentence(good):
    code, sentence = ended(TOO_LONG)
    assert (code, sentence.endswith("cannot be read: File name too long.")) == (2, True)
    code, sentence = ended(good, "--report", TOO_LONG)
    assert (code, sentence.endswith("written: File name too long.")) == (2, True)
    assert not ImportRun.objects.exists()


def test_an_undecodable_user_name_is_unknown(good):
    assert ended(good, "--user", "nob\udcffdy") == (
        2,
        'There is no user "nob\udcffdy".',
    )


def test_an_unusable_lock_file_is_named(good, tmp_path, monkeypatch, admin):
    if connection.vendor == "postgresql":
        pytest.skip("There is no lock file on PostgreSQL.")
    monkeypatch.setattr(conf, "lock_file", lambda database: tmp_path)
    code, sentence = ended(good)
    assert code == 2
    assert sentence == f"The lock file {tmp_path} can't be used: Is a directory."
    with pytest.raises(services.LockUnusable):
        services.mark_interrupted_runs()


def test_a_read_only_database_gives_no_traceback(good):
    refusal = OperationalError("attempt to write a readonly database\nDETAIL")
    with mock.patch.object(history.RunRecord, "_begin", side_effect=refusal):
        code, sentence = ended(good)
    assert code == 1
    assert sentence == "The database failed: attempt to write a readonly database."


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="There is no /dev/full.")
def test_a_disk_too_full_for_the_report_does_not_hide_the_run(good, capsys):
    with pytest.raises(SystemExit) as end:
        call_command("import_package", str(good), "--report", "/dev/full")
    printed = capsys.readouterr()
    assert end.value.code == 1
    assert "Inserted" in printed.out
    assert "The report could not be written: No space left on device." in printed.err
    assert ImportRun.objects.get().status == "Completed"


@pytest.mark.parametrize("name", LONG_AND_LOUD)
def test_a_package_with_an_odd_name_is_named_by_its_file(tmp_path, name, capsys):
    package = units("pcs").as_dict() | {"package": name}
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(package), encoding="utf-8")
    with suppress(SystemExit):
        call_command("import_package", str(file), "--dry-run")
    out = capsys.readouterr().out
    assert out.startswith("Dry run: odd.json → Trade")
    assert len(out) < 1000
    assert "\x1b" not in out


def test_paths_with_spaces_and_any_script_work(tmp_path, capsys):
    folder = tmp_path / "späce 中"
    folder.mkdir()
    file, report = units("pcs").as_file(folder / "ä b.json"), folder / "r ö.json"
    call_command("import_package", str(file), "--report", str(report))
    assert json.loads(report.read_text("utf-8"))["counts"]["Inserted"] == 1


@pytest.mark.parametrize("content", [b"\x1f\x8b\x08\x00", b"\0" * 100, b"\xff\xfe{\0"])
def test_a_file_of_another_kind_is_refused_with_its_place(tmp_path, content, capsys):
    file = tmp_path / "package.gz"
    file.write_bytes(content)
    with pytest.raises(SystemExit):
        call_command("import_package", str(file))
    assert f"\n{file}: line 1, column " in capsys.readouterr().out


class Broken(io.BytesIO):
    """A file whose disk fails after the first bytes."""

    def read(self, size=-1, /):
        if self.tell():
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_a_read_error_ends_the_run_with_a_sentence(admin):
    report = services.import_package(Broken(units("pcs").as_bytes()), user=admin)
    assert (
        report.diagnostics[0].message
        == "$: the file cannot be read: Input/output error"
    )
    assert ImportRun.objects.get().status == "Failed"


@pytest.mark.process
@pytest.mark.parametrize(
    ("command", "end"),
    [
        ("import_schema >&-", 0),
        ("import_schema >/dev/full", 1),
        ("PYTHONIOENCODING=ascii; import_schema /nö/schema.json", 1),
    ],
)
def test_the_output_may_go_anywhere(tmp_path, command, end):
    setting, _, call = command.rpartition("; ")
    line = f"exec {sys.executable} manage.py {call}"
    ran = subprocess.run(
        ["/bin/sh", "-c", f"export {setting or 'LC_ALL=C'}; {line}"],
        cwd=APPLICATION_FOLDER,
        env={"PATH": "/usr/bin:/bin", "Platform__DataPath": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert "Traceback" not in ran.stderr
    assert ran.returncode == end


def test_a_user_deleted_during_a_run_writes_nothing_more(run, clerk):
    user = clerk("add_unitofmeasure")

    def delete(stage, done, total):
        if stage == "importing" and done == 2:
            delete_user(user=type(user).objects.get(pk=user.pk))

    report = run(
        units("a", "b", "c", "d"),
        user=user,
        continue_on_error=True,
        progress=delete,
        window=2,
    )
    assert outcomes(report) == {
        "unit:a": "Inserted",
        "unit:b": "Inserted",
        "unit:c": "Failed",
        "unit:d": "Failed",
    }
    assert "the user “clerk” was deleted" in messages(report)["unit:c"]
    stored = ImportRun.objects.get(pk=report.run_id)
    assert (stored.status, stored.started_by_id) == ("Completed", None)
    assert stored.started_by_name == "clerk"


@pytest.mark.django_db(transaction=True)
def test_a_user_deleted_before_the_run_writes_nothing(run, admin):
    user = create_user(user_name="gone", password="a long pass phrase", roles=["admin"])
    delete_user(user=type(user).objects.get(pk=user.pk))
    report = run(units("pcs"), user=user)
    assert outcomes(report) == {"unit:pcs": "Failed"}
    assert ImportRun.objects.get().started_by_name == "gone"
    assert not model_of("UnitsOfMeasure").objects.exists()


def test_a_deactivated_user_is_refused_object_by_object(good, capsys):
    user = create_user(user_name="off", password="a long pass phrase", roles=["admin"])
    user.is_active = False
    update_user(user=user)
    with pytest.raises(SystemExit):
        call_command("import_package", str(good), "--user", "off")
    assert "the user “off” is deactivated" in capsys.readouterr().out


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_used_run_identifier_is_refused(run, dry_run):
    known = run(units("pcs")).run_id
    with pytest.raises(services.RunExists):
        run(units("pcs"), run_id=known, dry_run=dry_run)
    assert run(units("pcs"), run_id=uuid4(), dry_run=dry_run).counts["Unchanged"] == 1


def test_a_package_without_steps_or_objects_is_applied(run):
    for package in (a_package(), units()):
        report = run(package)
        assert (report.status, report.has_errors) == ("Completed", False)
