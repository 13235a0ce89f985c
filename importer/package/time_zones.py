"""The time zones that have a name: places and offsets of the IANA database."""

from __future__ import annotations

from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from importer.package.suggestions import did_you_mean
from importer.package.translation import gettext as _
from importer.package.wire_values import short

# Files a database of zones may hold beside them: a placeholder, and links to a setting
# of the machine, so that the same package would mean another day elsewhere.
_NO_ZONES = frozenset({"Factory", "localtime", "posixrules"})


class UnknownTimeZone(ValueError):
    """The refusal of a name that no time zone has."""


@cache
def zone_names() -> frozenset[str]:
    """Return the names of all zones; read once, since it opens every zone file."""
    return frozenset(available_timezones()) - _NO_ZONES


def named_zone(name: str) -> ZoneInfo:
    """Return the zone of an IANA name, spelt exactly so; raise UnknownTimeZone
    otherwise.

    ``ZoneInfo`` alone takes whatever names a file of the right kind.
    """
    if name != "UTC" and name not in zone_names():
        sentence = _("There is no time zone %(name)s.") % {"name": short(name)}
        hint = did_you_mean(name, zone_names(), sentence=True)
        raise UnknownTimeZone(sentence + hint)
    return ZoneInfo(name)
