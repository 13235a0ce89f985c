"""In whose name each management command acts: that of a person who is named, with that
person's rights, or that of whoever holds the server, who may do everything."""

from __future__ import annotations

import io
import re

import pytest
from django.core.management import (
    CommandError,
    call_command,
    get_commands,
    load_command_class,
)

from catalogs.models import UnitOfMeasure
from tests.authorization.identities import IDENTITIES
from tests.builders import units

pytestmark = pytest.mark.django_db
# One of these for each command; Django's own and the libraries' ask for nobody.
AS_A_PERSON = {"import_package", "import_table", "remove_demo", "undo_run"}
# The user of the API key in its environment.
BY_KEY = {"mcp"}
AS_THE_PRODUCT = {
    "archive_changes",
    "backup",
    "clean_files",
    "create_api_key",
    "create_backup_key",
    "export_package",
    "import_schema",
    "issue_licence",
    "maintenance",
    "migrate",
    "move_files",
    "publish",
    "reset_admin",
    "restore",
    "rotate_key",
    "seed_demo",
    "serve",
    "show_settings",
    "start_module",
    "startup",
    "test_mail",
    "verify_backup",
}
_LIBRARIES = re.compile(r"django\.|rest_framework|drf_spectacular")


def _own():
    return {
        name: load_command_class(app, name)
        for name, app in get_commands().items()
        if isinstance(app, str) and not _LIBRARIES.match(app)
    }


def test_every_command_says_in_whose_name_it_acts():
    assert set(_own()) == AS_A_PERSON | BY_KEY | AS_THE_PRODUCT
    asking = {
        name
        for name, command in _own().items()
        if "--user" in command.create_parser("manage.py", name)._option_string_actions
    }
    # Who is given a password by this one is not who asks for it.
    assert asking - {"reset_admin"} == AS_A_PERSON


def test_a_package_is_imported_with_the_rights_of_who_is_named(scene, tmp_path):
    file = units("of-the-matrix").as_file(tmp_path / "units.json")
    for name, who in IDENTITIES.items():
        if not who.signed_in:
            continue
        user, out = scene.users[name].username, io.StringIO()
        try:
            call_command("import_package", str(file), user=user, stdout=out, stderr=out)
        except (CommandError, SystemExit):
            pass
        may = who.has("catalogs.add_unitofmeasure") and who.ended != "account"
        rows = UnitOfMeasure.objects.filter(code="of-the-matrix")
        assert rows.exists() == may, (name, out.getvalue())
        UnitOfMeasure._base_manager.filter(code="of-the-matrix")._raw_delete("default")
