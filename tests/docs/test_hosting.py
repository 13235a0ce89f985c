"""What the page on hosting must tell whoever runs an installation, row by row."""

from __future__ import annotations

import re

import pytest

from platform_site.accounts.built_in import DEFAULT_ADMIN_PASSWORD
from platform_site.settings.configuration import APPLICATION_FOLDER

PAGE = APPLICATION_FOLDER / "docs" / "hosting.md"
TOLD = {
    "HOST-006": [
        "As an illustration, this container",
        "any other environment that meets them works as well",
    ],
    "HOST-029": [
        "Run exactly one process on an installation.",
        "The schedule of jobs and the cache of reports are in its memory.",
    ],
    "HOST-123": [
        "To do this by hand, stop the application, copy the backup over the database "
        "file, and delete the files `-wal` and `-shm` next to it.",
        "Then start the version that the backup is from",
    ],
    "HOST-135": [
        "| `/health/live` | 200 `Healthy`",
        "| `/health/ready` | 200 `Healthy`",
        "also over plain HTTP",
        "probes on the two health paths",
    ],
    "HOST-144": [
        "Somebody who has the signing key can make tokens for any user.",
        "| Nobody else can read the data folder | its mode, `0700` |",
    ],
    "HOST-160": [
        f"the account `admin` with the password `{DEFAULT_ADMIN_PASSWORD}`",
        "Change it right away",
    ],
    "HOST-170": [
        "A second server is refused even if it uses another data folder",
        "one process at a time: the old process must end before the new one starts",
    ],
    "HOST-172": [
        "| `PostgreSql` | All tests of the application run on it as well, against a "
        "live server. |",
        "nothing has ever been run against a SQL Server",
    ],
    "HOST-173": [
        "Test the whole process (migrations, accounts, your data, an upgrade) on the "
        "provider you are going to use, before you depend on it."
    ],
    "HOST-174": ["| `Sqlite` | The default, for a single small installation."],
}


def page():
    return " ".join(re.sub(r"\*\*", "", PAGE.read_text("utf-8")).split())


@pytest.mark.parametrize("row", TOLD)
def test_the_page_on_hosting_says_what_operators_must_know(row):
    text = page()
    assert [words for words in TOLD[row] if words not in text] == []
