"""The named time zones of the IANA database."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _
from importer.package.wire_values import short

# Files of zone databases that aren't zones: a placeholder, and links to a setting of
# the machine, with which the same package could mean another day elsewhere.
_NO_ZONES = frozenset({"Factory", "localtime", "posixrules"})


class UnknownTimeZone(ValueError):
    """The refusal of an unknown time zone."""


@cache
def zone_names() -> frozenset[str]:
    """Return the names of all zones; cached, since it opens every zone file."""
    return frozenset(available_timezones()) - _NO_ZONES


def named_zone(name: str) -> ZoneInfo:
    """Return the zone with exactly this IANA name; raise UnknownTimeZone otherwise.

    ``ZoneInfo`` alone would accept any file of the right format.
    """
    if name != "UTC" and name not in zone_names():
        sentence = _("There is no time zone %(name)s.") % {"name": short(name)}
        hint = did_you_mean(name, zone_names(), sentence=True)
        raise UnknownTimeZone(sentence + hint)
    return ZoneInfo(name)
