"""From settings and variables to the state, in a process of its own, as operators do."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time

import pytest

from platform_site.settings.configuration import APPLICATION_FOLDER
from platform_site.settings.known import KNOWN
from tests.environment import inherited

pytestmark = pytest.mark.process

# Prints the state; a key named on the command line is what only code can name.
ASK = """
import sys
import django
django.setup()
from django.conf import settings
from licensing.services import current_licence
if sys.argv[1:]:
    settings.LICENSING["PUBLIC_KEY_FILE"] = sys.argv[1]
licence = current_licence()
print(licence.state, licence.limits.users)
"""
START = """
from django.core.management import call_command
call_command("startup")
"""
SPELLINGS = [
    "PublicKeyFile",
    "PUBLIC_KEY_FILE",
    "PublicKey",
    "PublicKeyPath",
    "KeyFile",
    "Key",
]


@pytest.fixture
def place(tmp_path, vendor):
    """Return a working folder with the vendor's key, and a data folder inside it."""
    (tmp_path / "public.pem").write_bytes(vendor.public_pem)
    (tmp_path / "data").mkdir()
    return tmp_path


def run(place, arguments, **variables):
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=place,
        env={
            **inherited(),
            "PYTHONPATH": str(APPLICATION_FOLDER),
            "DJANGO_SETTINGS_MODULE": "platform_site.settings.production",
            "Platform__DataPath": str(place / "data"),
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended


def ask(place, *, key="", script=ASK, **variables):
    return run(place, ["-c", script, *([str(key)] if key else [])], **variables).stdout


def started(place, **variables):
    """Return the state of an installation that was asked, and then started."""
    told = ask(place, key=place / "public.pem", script=ASK + START, **variables)
    return told.splitlines()[0]


def signed(vendor, **changed):
    now = int(time.time())
    return vendor.licence(**{"iat": now, "exp": now + 86_400, **changed})


def test_a_relative_path_lies_under_the_data_folder(place, vendor):
    """HOST-053."""
    (place / "data" / "my.licence").write_text(signed(vendor, users=7))
    (place / "my.licence").write_text(signed(vendor, users=9))
    key = place / "public.pem"
    answer = ask(place, key=key, Licensing__LicenseFilePath="my.licence")
    assert answer == "licensed 7\n"
    elsewhere = str(place / "my.licence")
    answer = ask(place, key=key, Licensing__LicenseFilePath=elsewhere)
    assert answer == "licensed 9\n"


def test_the_file_of_the_variable_wins_over_the_value(place, vendor):
    """HOST-055."""
    (place / "data" / "my.licence").write_text(signed(vendor, users=7))
    answer = ask(
        place,
        key=place / "public.pem",
        Licensing__LicenseFilePath="my.licence",
        Licensing__LicenseValue=signed(vendor, users=9),
    )
    assert answer == "licensed 7\n"


def test_the_value_can_be_given_alone(place, vendor):
    """HOST-054."""
    value = signed(vendor, users=9)
    answer = ask(place, key=place / "public.pem", Licensing__LicenseValue=value)
    assert answer == "licensed 9\n"


def test_no_settings_file_and_no_variable_leads_to_another_key(place, vendor):
    key, value = str(place / "public.pem"), signed(vendor)
    # Known to be good, were its key the product's.
    assert ask(place, key=key, Licensing__LicenseValue=value) == "licensed 20\n"
    in_file = dict.fromkeys(SPELLINGS, key)
    (place / "appsettings.json").write_text(
        json.dumps({"Licensing": {**in_file, "LicenseValue": value}, **in_file})
    )
    assert ask(place) == "invalid 5\n"
    variables = {
        f"{prefix}{name}": key
        for name in SPELLINGS
        for prefix in ("", "Licensing__", "LICENSING_", "ASPNETCORE_Licensing__")
    }
    assert ask(place, **variables) == "invalid 5\n"


def test_the_product_declares_no_setting_for_the_key():
    declared = {one.key for one in KNOWN if one.key.casefold().startswith("licens")}
    assert declared == {"Licensing:LicenseFilePath", "Licensing:LicenseValue"}


def lines(ended):
    return [line for line in ended.stderr.splitlines() if "platform.licensing" in line]


def test_the_start_logs_the_state_once_and_no_invalid_licence_blocks_it(place):
    """OPEN-84."""
    manage = [str(APPLICATION_FOLDER / "manage.py"), "startup"]
    (free,) = lines(run(place, manage))
    assert "INFO platform.licensing: Licence: free (5 users" in free
    (missing,) = lines(run(place, manage, Licensing__LicenseFilePath="my.licence"))
    assert "WARNING platform.licensing: Licence: invalid" in missing
    assert str(place / "data" / "my.licence") in missing


def test_no_licence_gets_into_the_database_and_so_into_no_backup(place, vendor):
    """HOST-078, HOST-079: restored elsewhere, a database brings none along."""
    token = signed(vendor)
    manage = [str(APPLICATION_FOLDER / "manage.py")]
    run(place, [*manage, "startup"], Licensing__LicenseValue=token)
    run(place, [*manage, "backup", str(place / "copy.db")])
    assert token.encode() not in (place / "copy.db").read_bytes()
    assert token.split(".")[1].encode() not in (place / "copy.db").read_bytes()


def test_a_good_licence_stays_where_it_is_set(place, vendor):
    """HOST-078, HOST-079: a copy of the database takes none elsewhere."""
    in_file = signed(vendor, licensee="Who has a file", users=7)
    alone = signed(vendor, licensee="Who has the text", users=9)
    (place / "my.licence").write_text(in_file)
    path = {"Licensing__LicenseFilePath": str(place / "my.licence")}
    assert started(place, **path) == "licensed 7"
    assert started(place, Licensing__LicenseValue=alone) == "licensed 9"
    manage = str(APPLICATION_FOLDER / "manage.py")
    run(place, [manage, "backup", str(place / "copy.db")])
    copy = (place / "copy.db").read_bytes()
    parts = {*in_file.split("."), *alone.split(".")}
    texts = {*parts, "Who has a file", "Who has the text"}
    assert {text for text in texts if text.encode() in copy} == set()
    (place / "other" / "db").mkdir(parents=True)
    shutil.copyfile(place / "copy.db", place / "other" / "db" / "platform.db")
    assert started(place, Platform__DataPath=str(place / "other")) == "free 5"
