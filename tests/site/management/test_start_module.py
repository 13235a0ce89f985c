"""The command that writes an app of one's own."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["json"], "'json' conflicts with the name of an existing Python module"),
        (["catalogs"], "'catalogs' conflicts with the name of an existing"),
        (["my-brands"], "'my-brands' is not a valid app name"),
        (["items"], r"There is a catalog Items already\."),
        (["fleet"], "name one with --model"),
        (["fleet", "--model", "1x"], "'1x' can't be the class of a row of Fleet"),
    ],
)
def test_a_name_that_would_clash_writes_nothing(tmp_path, arguments, words):
    with pytest.raises(CommandError, match=words):
        call_command("start_module", *arguments, directory=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_ever_written_over_an_app(tmp_path):
    given = {"model": "Vehicle", "directory": tmp_path}
    call_command("start_module", "fleet", **given)
    models = tmp_path / "fleet" / "models.py"
    assert "class Vehicle(Catalog)" in models.read_text("utf-8")
    models.write_text("mine", encoding="utf-8")
    with pytest.raises(CommandError, match="exists already; nothing was written"):
        call_command("start_module", "fleet", **given)
    assert models.read_text("utf-8") == "mine"
