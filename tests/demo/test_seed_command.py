"""`seed_demo` as an operator calls it, and its exit codes."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command

from importer.runs.lock import import_lock
from tests.builders import a_package
from tests.demo.conftest import small_demo, user_names

pytestmark = pytest.mark.django_db


def seed_demo(*arguments):
    printed = io.StringIO()
    call_command("seed_demo", *arguments, stdout=printed, verbosity=0)
    return printed.getvalue()


def test_the_command_seeds_once(embed):
    """OPEN-67."""
    embed(small_demo())
    assert "Inserted" in seed_demo()
    assert "sales" in user_names()
    assert "a demo installation already" in seed_demo()


def test_the_command_takes_the_name_of_a_package(embed):
    embed(small_demo("first"), small_demo("second", units=["m"]))
    seed_demo("second")
    assert "second" in seed_demo()


def test_a_package_with_errors_ends_with_code_1_and_its_reasons(embed, capsys):
    embed(small_demo().item("unit:bad", code="c" * 40, name="x"))
    printed = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("seed_demo", stdout=printed, verbosity=0)
    assert end.value.code == 1
    assert "\nunit:bad code: " in printed.getvalue()


def test_what_is_refused_ends_with_its_code_and_a_sentence(embed):
    embed(a_package("price-list"))
    with pytest.raises(CommandError, match="No package of demo data") as end:
        seed_demo()
    assert end.value.returncode == 2
    embed(small_demo())
    with import_lock("somebody", "an import"), pytest.raises(CommandError) as end:
        seed_demo()
    assert end.value.returncode == 75
