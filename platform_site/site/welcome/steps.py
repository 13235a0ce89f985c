"""The current step of the wizard, for its pages and for the middleware of the start
page."""

from __future__ import annotations

from enum import StrEnum

from django.conf import settings

from demo.seeding import get_installation
from platform_site.accounts.built_in import ADMIN_ACCOUNT
from platform_site.accounts.models import User
from platform_site.accounts.services import (
    default_password_is_unchanged,
    has_default_password,
    is_administrator,
)
from platform_site.site.welcome.models import Welcome


class WizardStep(StrEnum):
    """The pages of the wizard in order, as in their URLs."""

    AGREEMENT = "agreement"
    PASSWORD = "password"
    COMPANY = "company"
    READY = "ready"


def leads_here(user: User) -> bool:
    """Return whether the start page redirects this user to the wizard; takes one query,
    only for `admin`."""
    if user.get_username() != ADMIN_ACCOUNT or decided_by_settings():
        return False
    welcome = Welcome.objects.first()
    if welcome is None:
        due = has_default_password(user) and get_installation() is None
    else:
        due = not welcome.finished_at
    return due and is_administrator(user)


def current_step() -> WizardStep | None:
    """Return the next step, None if there is no wizard."""
    if decided_by_settings():
        return None
    welcome = Welcome.objects.first()
    if welcome is None and get_installation() is not None:
        # A start loaded the demo company; it is no new installation, whatever the
        # settings say now.
        return None
    if welcome is None or welcome.accepted_at is None:
        return WizardStep.AGREEMENT if default_password_is_unchanged() else None
    if welcome.finished_at is not None:
        return WizardStep.READY
    # The password may have been changed elsewhere; the step is skipped then.
    if welcome.password_at is None and default_password_is_unchanged():
        return WizardStep.PASSWORD
    return WizardStep.COMPANY


def decided_by_settings() -> bool:
    """Return whether the settings have already answered the questions."""
    return bool(settings.PLATFORM_DEMO_SEED or settings.PLATFORM_SEED_ADMIN_PASSWORD)
