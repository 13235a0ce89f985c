"""import_package reads a package from standard input."""

from __future__ import annotations

import io
import json

import pytest
from django.core.management import CommandError, call_command

from importer.models import ImportRun
from tests.builders import model_of, stream, units

pytestmark = pytest.mark.django_db


@pytest.fixture
def piped(monkeypatch, admin):
    """Return a function that lets standard input give these bytes."""

    def give(content):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


def test_a_package_is_read_from_standard_input(piped, capsys):
    piped(stream(units("pcs", "kg")).read())
    call_command("import_package", "-")
    assert capsys.readouterr().out.startswith("corpus.a 1 → Trade")
    assert model_of("UnitsOfMeasure").objects.count() == 2


def test_errors_in_standard_input_have_a_place(piped, capsys):
    package = units("a", "b")
    package.steps[0]["items"][1]["code"] = "a"
    piped(json.dumps(package.as_dict(), indent=1).encode())
    with pytest.raises(SystemExit):
        call_command("import_package", "-", "--quiet")
    place, _, message = capsys.readouterr().err.partition(" unit:b code: ")
    file, _, line = place.rpartition(":")
    assert (file, line.isdigit()) == ("<stdin>", True)
    assert message.startswith('"a" is already used')


def test_standard_input_has_the_limit_of_uploads(piped, importer_settings):
    importer_settings(MAX_PACKAGE_SIZE_BYTES=100)
    piped(stream(units("pcs", "kg")).read())
    with pytest.raises(CommandError, match="larger than 100 bytes") as refused:
        call_command("import_package", "-")
    assert refused.value.returncode == 2
    assert not ImportRun.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-", "-"], "Standard input can be read only once"),
        (["-", "--plan", "x"], "Name a package, or a dry run with --plan"),
        (["-", "--user", "nobody"], '"nobody"'),
    ],
)
def test_a_wrong_call_is_refused_before_standard_input_is_read(
    piped, arguments, sentence
):
    piped(b"{}")
    with pytest.raises(CommandError, match=sentence) as refused:
        call_command("import_package", *arguments)
    assert refused.value.returncode == 2


def test_a_closed_standard_input_is_refused(monkeypatch, admin):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(CommandError, match="There is no standard input"):
        call_command("import_package", "-")


def test_an_interruption_while_reading_ends_with_a_sentence(monkeypatch, admin):
    class Interrupted(io.BytesIO):
        def read(self, size=-1):
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Interrupted()))
    with pytest.raises(CommandError, match="Nothing was imported") as refused:
        call_command("import_package", "-")
    assert refused.value.returncode == 1
