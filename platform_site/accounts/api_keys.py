"""The services that create, revoke and check API keys, for the admin pages, the command
and the API. A key is shown once; only a digest of it is stored."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.accounts.delegation import refuse_anothers_key, refuse_beyond_own
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.names import is_scheduler
from platform_site.accounts.scopes import checked_scopes
from platform_site.accounts.security_log import record_security_change
from platform_site.changes.services import ChangeEvent

# OPEN-61: the prefix finds the row, the 43 characters are 32 random bytes.
_KEY: Final = re.compile(r"pk_(?P<prefix>[0-9a-f]{8})_[A-Za-z0-9_-]{43}", re.ASCII)
_SEEN_ENOUGH: Final = timedelta(minutes=1)


def create_api_key(
    *,
    user: User,
    name: str,
    expires_at: datetime.datetime | None = None,
    scopes: Iterable[str] = (),
) -> tuple[ApiKey, str]:
    """Create a key for `user`; return its row and the key itself.

    Raise `ValidationError` for the scheduler, for which nobody may act (HOST-089), for
    an expiry time in the past and for unknown scopes; raise PermissionDenied if the actor creates it for
    another user without being an administrator.
    """
    refuse_anothers_key(user)
    if is_scheduler(user):
        sentence = _(
            "“%(name)s” can't have API keys, because it is reserved for scheduled jobs. "
            "Choose another user."
        )
        raise ValidationError({"user": sentence % {"name": JOBS_SCHEDULER}})
    if expires_at is not None and expires_at <= timezone.now():
        raise ValidationError(
            {"expires_at": _("This time is in the past; choose a later one.")}
        )
    prefix = secrets.token_hex(4)
    text = f"pk_{prefix}_{secrets.token_urlsafe(32)}"
    key = ApiKey(
        user=user,
        name=name,
        prefix=prefix,
        digest=_digest(text),
        expires_at=expires_at,
        scopes=checked_scopes(scopes),
    )
    key.full_clean()
    with transaction.atomic():
        key.save(force_insert=True)
        said = {"user": user.username, "name": name, "expiresAt": expires_at}
        said |= {"scopes": key.scopes or None}
        changes = {k: [None, v] for k, v in said.items() if v is not None}
        record_security_change(ChangeEvent.Action.CREATED, key, changes)
    return key, text


def revoke_api_key(*, key: ApiKey) -> None:
    """Revoke a key; a second time changes nothing."""
    refuse_beyond_own(key.user)
    with transaction.atomic():
        stored = ApiKey.objects.select_for_update().get(pk=key.pk)
        if stored.revoked_at is None:
            stored.revoked_at = timezone.now()
            stored.save(update_fields=["revoked_at"])
            changes = {"revokedAt": [None, stored.revoked_at]}
            record_security_change(ChangeEvent.Action.UPDATED, stored, changes)
    key.revoked_at = stored.revoked_at


def delete_api_key(*, key: ApiKey) -> None:
    """Delete the row of a key; the key is no longer valid."""
    refuse_beyond_own(key.user)
    with transaction.atomic():
        changes = {"name": [key.name, None], "user": [key.user.username, None]}
        record_security_change(ChangeEvent.Action.DELETED, key, changes)
        key.delete()


def recognised(text: str) -> ApiKey | None:
    """Return the valid key of an active user, None if the text isn't one; note its use.

    A lock only concerns passwords: keys of a locked account work (OPEN-115).
    """
    found = _KEY.fullmatch(text)
    if found is None:
        return None
    keys = ApiKey.objects.select_related("user")
    key = keys.filter(prefix=found["prefix"]).first()
    if key is None or not hmac.compare_digest(key.digest, _digest(text)):
        return None
    if not (key.is_good and key.user.is_active) or is_scheduler(key.user):
        return None
    _note_use(key)
    return key


def shown_part(text: str) -> str:
    """Return the part of a key that lists show, an empty text if it isn't a key."""
    found = _KEY.fullmatch(text)
    return "" if found is None else f"pk_{found['prefix']}"


def _note_use(key: ApiKey) -> None:
    """Store the time of use, at most once a minute."""
    now = timezone.now()
    # A time in the future counts as old: the clock has been set back.
    if key.last_used_at is None or abs(now - key.last_used_at) > _SEEN_ENOUGH:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)


def _digest(text: str) -> str:
    # A plain digest suffices for 256 random bits, which can't be guessed.
    return hashlib.sha256(text.encode()).hexdigest()
