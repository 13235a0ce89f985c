"""The option --source of the command import_table."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from catalogs.models import Item
from importer.models import ImportRun
from importer.services import create_source, update_source
from tests.importer.api.test_sources import PRICES
from tests.importer.tables.test_import_table import refusal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("trade")]


@pytest.fixture
def table(tmp_path):
    create_source(PRICES)
    file = tmp_path / "list.csv"
    file.write_text("Artikelnummer;Bezeichnung;ME;Preis €\n1;Oil;Stk;1,5\n")
    return file


def test_a_saved_source_describes_the_table(table):
    call_command("import_table", str(table), "--source", "supplier_17")
    assert Item.objects.get().code == "1"
    run = ImportRun.objects.get()
    assert (run.package, run.started_via, run.starter) == (
        "supplier_17",
        "command",
        "supplier_17",
    )


def test_what_a_source_says_cannot_be_said_again(table):
    for option in ("--target", "--map"):
        code, message = refusal(table, "--source", "supplier_17", option, "Items")
        assert code == 2
        assert "leave out --target and --map" in message


def test_an_unknown_or_disabled_source_is_refused(table):
    assert refusal(table, "--source", "supplier_71")[0] == 2
    update_source("supplier_17", {"enabled": False})
    code, message = refusal(table, "--source", "supplier_17")
    assert (code, "disabled" in message) == (2, True)
