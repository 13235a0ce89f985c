"""Calls of import_package that are refused with a sentence and exit code 2."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from importer import conf, services, sources
from importer.models import ImportRun
from importer.runs import lock
from tests.builders import model_of, units
from tests.environment import inherited

pytestmark = pytest.mark.django_db


@pytest.fixture
def good(tmp_path):
    return units("pcs", "kg").as_file(tmp_path / "good.json")


WRONG_CALL, BUSY = 2, 75


def refusal(*arguments, code=WRONG_CALL):
    """Return the sentence of a call that is refused with an exit code."""
    with pytest.raises(CommandError) as refused:
        call_command("import_package", *map(str, arguments))
    assert refused.value.returncode == code
    sentence = str(refused.value)
    assert sentence.endswith((".", "?"))
    return sentence


def test_a_report_in_a_missing_folder_is_refused_before_the_run(good, tmp_path):
    assert "report.json" in refusal(good, "--report", tmp_path / "no" / "report.json")
    assert not model_of("UnitsOfMeasure").objects.exists()


def test_the_package_is_not_overwritten_by_its_report(good):
    before = good.read_bytes()
    assert "overwrite" in refusal(good, "--report", good)
    assert good.read_bytes() == before


def test_an_unknown_user_is_refused(good):
    assert '"nobody"' in refusal(good, "--user", "nobody")


def test_an_unknown_time_zone_is_refused(good):
    assert '"Mars/Base"' in refusal(good, "--time-zone", "Mars/Base")
    assert not ImportRun.objects.exists()


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "\0"])
def test_a_time_zone_cannot_name_a_file(good, name):
    assert "time zone" in refusal(good, "--time-zone", name)


def test_a_missing_file_is_refused(tmp_path):
    assert "missing.json" in refusal(tmp_path / "missing.json")


def test_a_folder_is_refused(tmp_path):
    assert str(tmp_path) in refusal(tmp_path)


def test_an_unknown_identifier_is_refused(good, monkeypatch):
    monkeypatch.setattr(sources, "_files", lambda: iter([good]))
    assert "corpus.b" in refusal("corpus.b")


@contextmanager
def import_elsewhere():
    """Hold the import lock like another process."""
    if connection.vendor == "postgresql":
        other = connections.create_connection("default")
        try:
            other.cursor().execute(
                "SELECT pg_advisory_lock(%s, %s), set_config('application_name', "
                "'an import, started by somebody', false)",
                [lock._KEY, 1],
            )
            yield
        finally:
            other.close()
        return
    path = conf.lock_file(connection.settings_dict["NAME"])
    path.parent.mkdir(parents=True, exist_ok=True)
    since = "2026-05-01T09:00:00+00:00"
    note = json.dumps({"name": "an import, started by somebody", "since": since})
    script = (
        "import sys; from pathlib import Path; from filelock import FileLock\n"
        f"with FileLock({str(path)!r}):\n"
        f"    Path({str(path)!r}).write_text({note!r})\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=inherited(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.stdin.close()


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_second_import_is_refused_naming_the_first(good, tmp_path, options):
    """IMP-338."""
    report = tmp_path / "report.json"
    report.write_text("the last one", encoding="utf-8")
    with import_elsewhere():
        sentence = refusal(good, "--report", report, *options, code=BUSY)
    assert "an import, started by somebody at " in sentence
    assert "+00:00" not in sentence
    assert report.read_text(encoding="utf-8") == "the last one"
    assert not ImportRun.objects.exists()


def test_after_the_other_import_has_ended_the_command_works(good):
    with import_elsewhere():
        refusal(good, code=BUSY)
    call_command("import_package", str(good), verbosity=0)
    assert ImportRun.objects.get().status == "Completed"


def test_dead_runs_are_not_searched_during_a_run(admin, run):
    run(units("pcs"))
    ImportRun.objects.update(status="Running")
    with import_elsewhere():
        assert services.mark_interrupted_runs() == 0
    assert services.mark_interrupted_runs() == 1
    assert ImportRun.objects.get().status == "Interrupted"
