"""Throttling of password guesses that does not lock out the owner of an account:
failures are counted in the database, per name and network, and per known device."""

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

from platform_site.accounts.devices import is_known_device
from platform_site.accounts.limits import PER_NAME, PER_NETWORK, PERSONAL, Limit
from platform_site.accounts.models import SignInCounter, User
from platform_site.accounts.names import folded

# Who signed in from a network within this time is no stranger there.
KNOWN_FOR: Final = timedelta(days=30)
# Failures older than this count nowhere any more.
FAILURES_KEPT_FOR: Final = timedelta(days=1)
_MOST_KEPT: Final = 100_000
_WORTH_WRITING: Final = timedelta(days=1)


class TooManyAttempts(Exception):
    """A password that nobody is told about; ``seconds`` says for how long."""

    def __init__(self, seconds: int) -> None:
        super().__init__(seconds)
        self.seconds = seconds


@dataclass(slots=True)
class Attempt:
    """An attempt that was let in; whoever asked says how it ended."""

    _key: str
    _shared: Mapping[str, Limit]
    _stored: SignInCounter | None
    _counted: bool
    _known: bool = True
    _seconds: int = 0

    def failed(self) -> None:
        """Count it; TooManyAttempts where everybody in this place hears that."""
        if not self._counted:
            _count({self._key: PERSONAL, **self._shared})
        if self._seconds:
            raise TooManyAttempts(self._seconds)

    def succeeded(self) -> None:
        """Count from nothing again, and know the network or the device from now on.

        Failures of others stay: one known password must not buy guesses at others.
        TooManyAttempts for a stranger where strangers have to wait.
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
    """Let in an attempt to sign in, before the password is looked at.

    Raises TooManyAttempts. Strangers are counted before they may try, so that many at
    once are no way around; known devices share one counter for each account, so that
    more of them are no more guesses. Where the name or the network has to wait, whoever
    signed in from here lately comes in with the right password; everybody else hears
    the same, after the same work, so that nobody learns who that is.
    """
    name, network = folded(user_name), network_of(request)
    if is_known_device(request, name):
        return _admitted(_digest("devices", name), {})
    shared = {_digest("name", name): PER_NAME}
    if network:
        shared[_digest("network", network)] = PER_NETWORK
    return _admitted(_digest("pair", name, network), shared)


def attempt_own(user: User) -> Attempt:
    """Let somebody who is signed in try the password of that very account.

    Counted apart: no stranger gets here, so none can keep the owner from it.
    """
    return _admitted(_digest("own", str(user.pk)), {})


def forget_failures() -> None:
    """Count everybody from nothing again; who is known somewhere stays so.

    Whose failures they are stands in digests, so that those of one name can't be told
    from others.
    """
    SignInCounter.objects.filter(failures__gt=0).update(failures=0)


def forget_old() -> None:
    """Remove what counts no more, and the oldest if there are very many."""
    now = timezone.now()
    counters = SignInCounter.objects
    strange = counters.exclude(succeeded_at__gt=now - KNOWN_FOR)
    strange.exclude(failed_at__gt=now - FAILURES_KEPT_FOR).delete()
    newest = strange.order_by("-failed_at").values_list("failed_at", flat=True)
    for last in newest[_MOST_KEPT : _MOST_KEPT + 1]:
        strange.filter(failed_at__lte=last).delete()


def network_of(request: HttpRequest | None) -> str:
    """Return the address that is counted: of IPv6 the half that a provider gives out.

    It is the other end of the connection. Forwarded headers count only where the server
    trusts the proxy, and then they are in it already.
    """
    text = "" if request is None else str(request.META.get("REMOTE_ADDR") or "")
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        # A connection without addresses, such as a socket of the system.
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
        # Of what is refused anyway the place counts nothing, or its wait never ended.
        shared = {}
    counted = not known or (stored is not None and stored.failures >= PERSONAL.free)
    if counted:
        asked = {key} if known else {key, *shared}
        _count({key: PERSONAL, **shared}, asked=asked)
    return Attempt(key, shared, stored, counted, known, seconds)


def _count(limits: Mapping[str, Limit], *, asked: Collection[str] = ()) -> None:
    """Count one failure with each; TooManyAttempts if one of those asked has to wait."""
    now = timezone.now()
    with transaction.atomic():
        # In one order, so that two never wait for each other.
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
