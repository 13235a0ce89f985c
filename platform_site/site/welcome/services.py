"""The decisions of the wizard, each made once: of two users who decide at the same
time, the second changes nothing and sees the first one's decision."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from demo.seeding import get_installation
from licensing.services import agreement_text
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User
from platform_site.accounts.security_log import record_security_event
from platform_site.accounts.services import (
    has_default_password,
    set_password,
)
from platform_site.changes.services import ChangeEvent
from platform_site.site.welcome import demo_loading
from platform_site.site.welcome.models import Welcome

Company = Welcome.Company


def agreement_digest() -> str:
    """Return the SHA-256 of the licence agreement, in hexadecimal."""
    return hashlib.sha256(agreement_text().encode()).hexdigest()


def accept_agreement(*, user: AbstractBaseUser | AnonymousUser, digest: str) -> bool:
    """Record who accepted which text and when; return False if the text has changed."""
    if digest != agreement_digest():
        return False
    with transaction.atomic():
        welcome = _locked()
        if welcome.accepted_at is None:
            welcome.agreement, welcome.accepted_at = digest, timezone.now()
            welcome.accepted_by = user.get_username()
            welcome.save()
            _record({"licenceAgreement": [None, f"accepted, SHA-256 {digest}"]})
    return True


def choose_password(*, password: str) -> User | None:
    """Set the password of `admin`, and return the account.

    Return None if its password isn't the documented one any more; it is kept.
    """
    with transaction.atomic():
        welcome = _locked()
        admin = User.objects.filter(username=ADMIN_ACCOUNT).first()
        if admin is None or not has_default_password(admin):
            return None
        set_password(user=admin, password=password)
        welcome.password_at = timezone.now()
        welcome.save(update_fields=["password_at"])
    return admin


def choose_empty_company() -> None:
    """End the wizard without demo data, unless they are being loaded."""
    with transaction.atomic():
        welcome = _locked()
        if welcome.finished_at is None and not demo_loading.is_running(welcome):
            _finish(welcome, Company.EMPTY)


def choose_demo_company() -> None:
    """Start loading the demo company in the background, or continue an interrupted
    load."""
    with transaction.atomic():
        welcome = _locked()
        if welcome.finished_at is not None or demo_loading.is_running(welcome):
            return
        welcome.company, welcome.trouble, welcome.run_id = Company.DEMO, "", uuid4()
        welcome.save()
        # Before the choice is visible, so that nobody takes the load as dead.
        demo_loading.start(welcome.run_id, when_loaded=finish_if_loaded)


def finish_if_loaded() -> bool:
    """End the wizard if the demo company is loaded, by whomever."""
    if get_installation() is None:
        return False
    with transaction.atomic():
        welcome = _locked()
        if welcome.finished_at is None:
            _finish(welcome, Company.DEMO)
    return True


def _finish(welcome: Welcome, company: str) -> None:
    welcome.company, welcome.finished_at = company, timezone.now()
    welcome.trouble = ""
    welcome.save()
    _record({"company": [None, company]})


def _locked() -> Welcome:
    """Return the row, locked until the end of the transaction."""
    Welcome.objects.get_or_create(pk=1)
    return Welcome.objects.select_for_update().get(pk=1)


def _record(changes: Mapping[str, Sequence[Any]]) -> None:
    record_security_event(
        action=ChangeEvent.Action.UPDATED,
        model="Installation",
        row_id=None,
        row="Platform",
        changes=changes,
    )
