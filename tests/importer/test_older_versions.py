"""A warning before an older version of a package replaces a newer one."""

from __future__ import annotations

import pytest

from tests.builders import units

pytestmark = pytest.mark.django_db


def versions(report):
    """Return the warnings about versions."""
    return [one.message for one in report.diagnostics if one.path == "version"]


def test_a_lower_version_than_the_applied_one_is_a_warning(run):
    newer, older = units("pcs"), units("pcs")
    newer.header["version"], older.header["version"] = 3, 2
    assert versions(run(newer)) == []
    for options in ({"dry_run": True}, {}):
        report = run(older, **options)
        assert not report.has_errors
        (message,) = versions(report)
        assert "version 2 of the package" in message
        assert "version 3 has been imported already" in message
    # Whoever imports it all the same is not asked again.
    assert versions(run(older)) == []


def test_the_version_of_a_renamed_package_goes_on(run):
    newer = units("pcs")
    newer.header["version"] = 3
    run(newer)
    renamed = units("pcs", package="corpus.renamed")
    renamed.header["renamedFrom"] = ["corpus.a"]
    assert len(versions(run(renamed, dry_run=True))) == 1
    renamed.header["version"] = 3
    assert versions(run(renamed)) == []
