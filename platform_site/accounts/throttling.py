"""Throttling of password guesses that doesn't lock out the owner of an account.
Failures are counted in the database per name and network, and per known device."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import ngettext

from platform_site.accounts.devices import is_known_device
from platform_site.accounts.limits import PER_NAME, PER_NETWORK, PERSONAL, Limit
from platform_site.accounts.models import SignInCounter, User
from platform_site.accounts.names import folded

# Users who signed in from a network within this time aren't strangers there.
KNOWN_FOR: Final = timedelta(days=30)
# Older failures no longer count.
FAILURES_KEPT_FOR: Final = timedelta(days=1)
_MOST_KEPT: Final = 100_000
_WORTH_WRITING: Final = timedelta(days=1)
# Longer waits are shown in minutes.
_MANY_SECONDS: Final = 120


class TooManyAttempts(Exception):
    """The refusal to check a password for the next ``seconds``."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def wait_sentence(seconds: int) -> str:
    """Return the message while passwords aren't checked."""
    if seconds <= _MANY_SECONDS:
        text = ngettext(
            "Too many wrong passwords; try again in %(count)d second.",
            "Too many wrong passwords; try again in %(count)d seconds.",
            seconds,
        )
        return text % {"count": seconds}
    minutes = -(-seconds // 60)
    text = ngettext(
        "Too many wrong passwords; try again in %(count)d minute.",
        "Too many wrong passwords; try again in %(count)d minutes.",
        minutes,
    )
    return text % {"count": minutes}


@dataclass(slots=True)
class Attempt:
    """An admitted attempt; the caller reports its result."""

    _key: str
    _shared: Mapping[str, Limit]
    _stored: SignInCounter | None
    _counted: bool
    _known: bool = True
    _seconds: int = 0

    def failed(self) -> None:
        """Count the failure; raise TooManyAttempts if everybody has to wait."""
        if not self._counted:
            _count({self._key: PERSONAL, **self._shared})
        if self._seconds:
            raise TooManyAttempts(self._seconds)

    def succeeded(self) -> None:
        """Reset the failures and make the network or device known.

        Failures of others stay, so that one known password doesn't allow guesses at
        others. Raise TooManyAttempts for a stranger if strangers have to wait.
        """
        if self._seconds and not self._known:
            raise TooManyAttempts(self._seconds)
        now, stored = timezone.now(), self._stored
        counters = SignInCounter.objects
        if self._counted:
            taken_back = counters.filter(key__in=self._shared, failures__gt=0)
            taken_back.update(failures=F("failures") - 1)
        elif stored is None or (not stored.failures and _is_recent(stored, now)):
            return
        counters.filter(key=self._key).update(failures=0, succeeded_at=now)


def attempt(request: HttpRequest | None, user_name: str) -> Attempt:
    """Admit an attempt to sign in, before the password is checked.

    Raise TooManyAttempts if it has to wait. Strangers are counted before they may try,
    so that concurrent attempts don't get more tries. Known devices share one counter
    per account, so that more devices don't get more guesses either. While the name or
    network has to wait, users who recently signed in from this network still get in
    with the right password. All others get the same response after the same work, so
    that nobody learns who these users are.
    """
    name, network = folded(user_name), network_of(request)
    if is_known_device(request, name):
        return _admitted(_digest("devices", name), {})
    shared = {_digest("name", name): PER_NAME}
    if network:
        shared[_digest("network", network)] = PER_NETWORK
    return _admitted(_digest("pair", name, network), shared)


def attempt_own(user: User) -> Attempt:
    """Admit a signed-in user's attempt at their own password.

    It has its own counter, so that strangers can't block the owner.
    """
    return _admitted(_digest("own", str(user.pk)), {})


def forget_failures() -> None:
    """Reset all failures; known networks and devices stay known.

    Failures are stored under digests, so they can't be reset for one name only.
    """
    SignInCounter.objects.filter(failures__gt=0).update(failures=0)


def forget_old() -> None:
    """Delete counters that no longer matter, and the oldest if there are very many."""
    now = timezone.now()
    counters = SignInCounter.objects
    strange = counters.exclude(succeeded_at__gt=now - KNOWN_FOR)
    strange.exclude(failed_at__gt=now - FAILURES_KEPT_FOR).delete()
    newest = strange.order_by("-failed_at").values_list("failed_at", flat=True)
    for last in newest[_MOST_KEPT : _MOST_KEPT + 1]:
        strange.filter(failed_at__lte=last).delete()


def network_of(request: HttpRequest | None) -> str:
    """Return the client address to count; for IPv6 the /64 network of a provider.

    It is the peer of the connection. Forwarded headers count only if the server trusts
    the proxy; the address is then already that of the header.
    """
    text = "" if request is None else str(request.META.get("REMOTE_ADDR") or "")
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        # A connection without addresses, such as a Unix socket.
        return ""
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def _admitted(key: str, shared: Mapping[str, Limit]) -> Attempt:
    limits = {key: PERSONAL, **shared}
    found = {c.key: c for c in SignInCounter.objects.filter(key__in=limits)}
    stored, now = found.get(key), timezone.now()
    own = [] if stored is None else [stored]
    if _seconds_to_wait(own, limits, now):
        raise TooManyAttempts(_seconds_to_wait(found.values(), limits, now))
    known = not shared or (stored is not None and _is_known(stored, now))
    seconds = _seconds_to_wait(found.values(), limits, now)
    if seconds:
        # A refused attempt isn't counted for name and network, or waits would never end.
        shared = {}
    counted = not known or (stored is not None and stored.failures >= PERSONAL.free)
    if counted:
        asked = {key} if known else {key, *shared}
        _count({key: PERSONAL, **shared}, asked=asked)
    return Attempt(key, shared, stored, counted, known, seconds)


def _count(limits: Mapping[str, Limit], *, asked: Collection[str] = ()) -> None:
    """Count one failure with each key; raise TooManyAttempts if an asked one must
    wait."""
    now = timezone.now()
    with transaction.atomic():
        # In a fixed order, so that two attempts can't deadlock.
        locked = SignInCounter.objects.select_for_update()
        rows = [locked.get_or_create(key=key)[0] for key in sorted(limits)]
        ready = [row for row in rows if row.key in asked]
        if seconds := _seconds_to_wait(ready, limits, now):
            raise TooManyAttempts(seconds)
        for row in rows:
            limit = limits[row.key]
            row.failures = limit.with_one_more(row.failures, row.failed_at, now)
            row.failed_at = now
            row.save(update_fields=["failures", "failed_at"])


def _seconds_to_wait(
    rows: Iterable[SignInCounter], limits: Mapping[str, Limit], now: datetime.datetime
) -> int:
    waits = [
        limits[row.key].seconds_to_wait(row.failures, row.failed_at, now)
        for row in rows
    ]
    return max(waits, default=0)


def _is_known(stored: SignInCounter, now: datetime.datetime) -> bool:
    at = stored.succeeded_at
    return at is not None and now - at < KNOWN_FOR


def _is_recent(stored: SignInCounter, now: datetime.datetime) -> bool:
    at = stored.succeeded_at
    return at is not None and abs(now - at) < _WORTH_WRITING


def _digest(*parts: str) -> str:
    text = "\0".join(parts)
    return str(salted_hmac("platform.sign-in", text, algorithm="sha256").hexdigest())
