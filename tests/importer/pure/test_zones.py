"""Time zones: exact names of places and offsets of the IANA database (OPEN-28)."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from importer.package.time_zones import UnknownTimeZone, named_zone, zone_names
from platform_site.accounts.time_zones import validate_time_zone

NO_ZONES = [
    "Factory",
    "localtime",
    "posixrules",
    "posix/Europe/Berlin",
    "right/Europe/Berlin",
    "../etc/passwd",
    "/etc/localtime",
    "Europe",
    "Europe/",
    "./UTC",
    "zone.tab",
    "tzdata.zi",
    "europe/berlin",
    "utc",
    " UTC",
    "UTC\n",
    "Mars/Base",
    "x" * 10_000,
    "\0",
]


@pytest.mark.parametrize("name", NO_ZONES)
def test_other_names_are_not_time_zones(name):
    with pytest.raises(UnknownTimeZone, match="There is no time zone") as caught:
        named_zone(name)
    assert len(str(caught.value)) < 200
    with pytest.raises(ValidationError):
        validate_time_zone(name)


@pytest.mark.parametrize("name", ["UTC", "Etc/UTC", "Etc/GMT+5", "Europe/Berlin"])
def test_places_and_offsets_are_time_zones(name):
    assert named_zone(name).key == name
    validate_time_zone(name)
    assert name in zone_names()


def test_a_similar_time_zone_is_suggested():
    with pytest.raises(UnknownTimeZone, match='Did you mean "Europe/Berlin"'):
        named_zone("europe/berlin")
    with pytest.raises(ValidationError, match='Did you mean "Europe/Berlin"'):
        validate_time_zone("Europe/Berln")
