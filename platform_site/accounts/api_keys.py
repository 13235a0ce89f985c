"""Issue, revoke and recognise API keys: the administration, the command and the API's
authentication come here. A key is shown once; what is stored cannot be turned back."""

from __future__ import annotations

import datetime
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.built_in import JOBS_SCHEDULER
from platform_site.accounts.delegation import refuse_anothers_key, refuse_beyond_own
from platform_site.accounts.models import ApiKey, User
from platform_site.accounts.names import is_scheduler
from platform_site.accounts.security_log import record_security_change
from platform_site.changes.services import ChangeEvent

# OPEN-61: the prefix finds the row, the 43 characters are 32 random bytes.
_KEY: Final = re.compile(r"pk_(?P<prefix>[0-9a-f]{8})_[A-Za-z0-9_-]{43}", re.ASCII)
_SEEN_ENOUGH: Final = timedelta(minutes=1)


def create_api_key(
    *, user: User, name: str, expires_at: datetime.datetime | None = None
) -> tuple[ApiKey, str]:
    """Create a key of `user`, and return its row and the key itself.

    Raises `ValidationError` for the scheduler, which nobody may act as (HOST-089), and
    for a time of expiry in the past; PermissionDenied for somebody else, unless an
    administrator asks.
    """
    refuse_anothers_key(user)
    if is_scheduler(user):
        raise ValidationError(
            {"user": _("“%(name)s” has no keys.") % {"name": JOBS_SCHEDULER}}
        )
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
    )
    key.full_clean()
    with transaction.atomic():
        key.save(force_insert=True)
        said = {"user": user.username, "name": name, "expiresAt": expires_at}
        changes = {k: [None, v] for k, v in said.items() if v is not None}
        _record(ChangeEvent.Action.CREATED, key, changes)
    return key, text


def revoke_api_key(*, key: ApiKey) -> None:
    """End a key for good; a second time changes nothing."""
    refuse_beyond_own(key.user)
    with transaction.atomic():
        stored = ApiKey.objects.select_for_update().get(pk=key.pk)
        if stored.revoked_at is None:
            stored.revoked_at = timezone.now()
            stored.save(update_fields=["revoked_at"])
            changes = {"revokedAt": [None, stored.revoked_at]}
            _record(ChangeEvent.Action.UPDATED, stored, changes)
    key.revoked_at = stored.revoked_at


def delete_api_key(*, key: ApiKey) -> None:
    """Remove what is left of a key; it opens nothing any more."""
    refuse_beyond_own(key.user)
    with transaction.atomic():
        changes = {"name": [key.name, None], "user": [key.user.username, None]}
        _record(ChangeEvent.Action.DELETED, key, changes)
        key.delete()


def recognised(text: str) -> ApiKey | None:
    """Return the good key of an active user that a text is, and note its use.

    A lock is about passwords only: the key of a locked account works (OPEN-115).
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
    """Return the part of a key that lists show too, an empty text if it is no key."""
    found = _KEY.fullmatch(text)
    return "" if found is None else f"pk_{found['prefix']}"


def _note_use(key: ApiKey) -> None:
    """Write when the key was used, at most once a minute."""
    now = timezone.now()
    # Later than now is also long ago: the clock was set back since.
    if key.last_used_at is None or abs(now - key.last_used_at) > _SEEN_ENOUGH:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)


def _digest(text: str) -> str:
    # Of 256 random bits a plain digest is enough; nobody can try them all.
    return hashlib.sha256(text.encode()).hexdigest()


def _record(action: str, key: ApiKey, changes: Mapping[str, Sequence[Any]]) -> None:
    record_security_change(
        action=action,
        model=ApiKey.catalog_name,
        row_id=key.pk,
        row=str(key),
        changes=changes,
    )
