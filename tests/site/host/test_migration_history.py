"""Which recorded migrations a build does not know."""

from __future__ import annotations

import pytest

from platform_site.site.host.migration_history import (
    refusal,
    unknown_migrations,
    written,
)

BUILT = [("catalogs", "0001_initial"), ("catalogs", "0002_more")]


@pytest.mark.parametrize(
    ("recorded", "replaced", "unknown"),
    [
        ([], [], ()),
        (BUILT[:1], [], ()),
        (BUILT, [], ()),
        ([*BUILT, ("catalogs", "0003_new")], [], (("catalogs", "0003_new"),)),
        ([("gone", "0001_initial")], [], (("gone", "0001_initial"),)),
        ([("gone", "0001_initial")], [("gone", "0001_initial")], ()),
    ],
)
def test_unknown_is_what_is_neither_built_nor_replaced(recorded, replaced, unknown):
    """HOST-105, OPEN-106."""
    assert unknown_migrations(recorded, BUILT, replaced) == unknown


def test_a_long_list_is_cut():
    names = [("a", f"{number:04}") for number in range(7)]
    assert written(names) == "a.0000, a.0001, a.0002, a.0003, a.0004 and 2 more"


def test_the_refusal_names_the_migrations_and_a_reset_only_where_there_is_one():
    new = [("catalogs", "0003_new")]
    assert "catalogs.0003_new" in refusal(new, "", can_be_reset=True)
    assert "ResetToken" in refusal(BUILT, "", can_be_reset=True)
    assert refusal(BUILT, "The newest is x.", can_be_reset=False).endswith(
        "a backup taken before them. The newest is x."
    )
