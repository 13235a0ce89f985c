"""Django's own commands in a published folder: none that destroys, none that writes
source."""

from __future__ import annotations

import pytest
from django.core.management import get_commands

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.errors import WrongCallError
from platform_site.site.host.command_rules import REFUSED, refuse_in_published_folder
from platform_site.site.host.exit_codes import exit_code

# Looked at one by one: these only read, or do what an operator is meant to do.
HARMLESS = {
    "changepassword",
    "check",
    "clearsessions",
    "createcachetable",
    "createsuperuser",
    "dbshell",
    "diffsettings",
    "dumpdata",
    "findstatic",
    "generateschema",
    "inspectdb",
    "migrate",
    "sendtestemail",
    "shell",
    "showmigrations",
    "spectacular",
    "sqlflush",
    "sqlmigrate",
    "sqlsequencereset",
}
OF_DJANGO = ("django.", "rest_framework", "drf_", "corsheaders", "whitenoise")


@pytest.fixture
def published(tmp_path):
    (tmp_path / "runtime.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_published_folder_refuses_with_the_remedy(published, name):
    with pytest.raises(WrongCallError) as refused:
        refuse_in_published_folder(["manage.py", name, "--no-input"], published)
    assert str(refused.value).startswith(f"{name} is refused in a published folder.")
    assert exit_code(refused.value) == 2
    refuse_in_published_folder(["manage.py", name, "--help"], published)


def test_a_checkout_refuses_none(tmp_path):
    for name in REFUSED:
        refuse_in_published_folder(["manage.py", name], tmp_path)


def test_every_command_that_is_not_ours_was_looked_at():
    foreign = {
        name for name, app in get_commands().items() if str(app).startswith(OF_DJANGO)
    }
    refused = {name for name in REFUSED if name != "publish"}
    assert foreign == (HARMLESS | refused) & foreign
    assert not HARMLESS & refused


def test_the_page_on_operating_names_each():
    page = (APPLICATION_FOLDER / "docs" / "operating.md").read_text("utf-8")
    assert [name for name in REFUSED if f"`{name}`" not in page] == []
