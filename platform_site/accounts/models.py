"""The models of users, roles and API keys. The services and the seeding of this app write
them."""

from __future__ import annotations

import secrets
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, Group
from django.db import models, router, transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from platform_site.accounts.built_in import MCP_AGENT
from platform_site.accounts.delegation import refuse_beyond_own
from platform_site.accounts.descriptions import describe, difference
from platform_site.accounts.names import check_account, check_role_name
from platform_site.accounts.scopes import Scopes, scopes_of
from platform_site.accounts.security_log import record_security_change
from platform_site.accounts.sign_in_models import (
    EndedTokenFamily,
    SignInCounter,
    UsedRefreshToken,
)
from platform_site.accounts.time_zones import validate_time_zone
from platform_site.changes.services import ChangeEvent, ChangeOrigin

__all__ = [
    "ApiKey",
    "EndedTokenFamily",
    "Installation",
    "Role",
    "SeededPermission",
    "SignInCounter",
    "UsedRefreshToken",
    "User",
]


class User(AbstractUser):
    """A person or program that uses the platform."""

    catalog_name: ClassVar[str] = "Users"

    # Django's own: the plain password between being set and being saved.
    _password: str | None
    _password_taken_away = False
    # Set if a service records the creation, with the roles of the new account.
    recorded_by_service = False
    # Set if the password that is saved next must be changed by its owner.
    password_is_one_time = False
    # Set while a key acts as the user.
    key_scopes: Scopes | None = None

    time_zone = models.CharField(
        _("time zone"),
        max_length=64,
        blank=True,
        validators=[validate_time_zone],
        help_text=_("If empty, the time zone of the installation."),
    )
    language = models.CharField(
        _("language"),
        max_length=10,
        blank=True,
        help_text=_("If empty, the language of the browser or the installation."),
    )
    locked_until = models.DateTimeField(
        _("locked until"),
        null=True,
        blank=True,
        help_text=_(
            "Until then nobody can sign in with the password; API keys still work."
        ),
    )
    is_service = models.BooleanField(
        _("service account"),
        default=False,
        help_text=_("A program, not a person; it does not count as a licensed user."),
    )
    # Tokens and sessions with another stamp are invalid. It isn't a time, because a
    # clock that was wrong for a while must not lock anybody out.
    token_stamp = models.CharField(
        max_length=32, default="", blank=True, editable=False
    )

    must_change_password = models.BooleanField(
        default=False, db_default=False, editable=False
    )

    class Meta(AbstractUser.Meta):
        ordering = ("username",)

    @property
    def role_names(self) -> list[str]:
        """Return the sorted names of the roles."""
        return sorted(group.name for group in self.groups.all())

    @property
    def is_locked(self) -> bool:
        """Return whether sign-in with a password is locked now (OPEN-115)."""
        return self.locked_until is not None and self.locked_until > timezone.now()

    @property
    def origin(self) -> ChangeOrigin:
        """Return the origin of changes made by this account (OPEN-80)."""
        return (
            ChangeOrigin.MCP_AGENT if self.username == MCP_AGENT else ChangeOrigin.USER
        )

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return whether the user has a right, and the key in use leaves it."""
        if self.key_scopes is not None and not self.key_scopes.has_right(perm):
            return False
        return super().has_perm(perm, obj)

    def clean(self) -> None:
        """Refuse changes of the scheduler's account and names like its name."""
        super().clean()
        check_account(type(self)._default_manager.filter(pk=self.pk).first(), self)

    def end_tokens(self) -> None:
        """End every token and session once the account is saved."""
        self.token_stamp = secrets.token_hex(8)

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """Return the hash that sessions must have; without a stamp it is Django's
        own."""
        of_password: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        if not self.token_stamp:
            return of_password
        text = of_password + self.token_stamp
        hashed = salted_hmac("platform.session", text, secret, algorithm="sha256")
        return str(hashed.hexdigest())

    def set_unusable_password(self) -> None:
        """Remove the password; nobody can sign in with one."""
        super().set_unusable_password()
        self._password_taken_away = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save; record a change event for a new account or another password.

        Another password ends every token and session; raise PermissionDenied if the
        actor may not change the account. This is here and not in a service, because
        Django's own password page and its commands `changepassword` and
        `createsuperuser` only use `save`.
        """
        using = kwargs.get("using") or router.db_for_write(type(self), instance=self)
        with transaction.atomic(using=using):
            renewed = self._password is not None or self._password_taken_away
            adding = self._state.adding
            if renewed:
                self.must_change_password = self.password_is_one_time
            if renewed and not adding:
                refuse_beyond_own(type(self)._default_manager.get(pk=self.pk))
                self.end_tokens()
                if kwargs.get("update_fields") is not None:
                    own = {"token_stamp", "must_change_password"}
                    kwargs["update_fields"] = {*kwargs["update_fields"], *own}
            super().save(*args, **kwargs)
            self._password_taken_away = self.password_is_one_time = False
            if adding and not self.recorded_by_service:
                created = difference(None, describe(self, []))
                self.record(ChangeEvent.Action.CREATED, created)
            if renewed and not adding:
                hidden = {"password": ["not shown", "not shown"]}
                self.record(ChangeEvent.Action.UPDATED, hidden)

    def record(self, action: str, changes: Mapping[str, Sequence[Any]]) -> None:
        """Record a change of the account in the history and the security log."""
        record_security_change(action, self, changes)


class Role(Group):
    """A set of rights that users can have: Django's group under another name."""

    catalog_name: ClassVar[str] = "Roles"

    class Meta:
        proxy = True
        verbose_name = _("role")
        verbose_name_plural = _("roles")

    def clean(self) -> None:
        """Refuse a name with line breaks, or one easily confused with another
        role's."""
        super().clean()
        names = dict(Group.objects.values_list("pk", "name"))
        if names.pop(self.pk, None) != self.name:
            check_role_name(self.name, names.values())


class SeededPermission(models.Model):
    """A record that a new right has been given to the built-in roles.

    It is given once; what administrators do with it afterwards is kept (OPEN-116).
    """

    app_label = models.CharField(max_length=100)
    codename = models.CharField(max_length=100)

    class Meta:
        verbose_name = _("granted right")
        verbose_name_plural = _("granted rights")
        default_permissions = ()
        constraints = (
            models.UniqueConstraint(
                fields=("app_label", "codename"), name="seeded_permission_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.app_label}.{self.codename}"


class Installation(models.Model):
    """The permanent id of the installation, in a single row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        verbose_name = _("installation")
        verbose_name_plural = _("installations")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.id)


class ApiKey(models.Model):
    """A key with which a program acts as a user; only a digest of it is stored."""

    catalog_name: ClassVar[str] = "ApiKeys"

    user = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        related_name="api_keys",
        verbose_name=_("user"),
        help_text=_("Requests with this key act as this user, with the user's rights."),
    )
    name = models.CharField(
        _("name"), max_length=100, help_text=_("What the key is for.")
    )
    prefix = models.CharField(_("prefix"), max_length=8, unique=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    created = models.DateTimeField(_("created"), default=timezone.now, editable=False)
    expires_at = models.DateTimeField(
        _("expires"),
        null=True,
        blank=True,
        help_text=_("If empty, the key is valid until it is revoked."),
    )
    scopes = models.CharField(
        _("scopes"),
        max_length=1000,
        blank=True,
        default="",
        db_default="",
        help_text=_(
            "What the key may do and where, separated by spaces: read, write, import, "
            "and names such as Items. Without read, write or import it may read and "
            "write; without names it may do so everywhere. If empty, the key may do "
            "all that its user may do."
        ),
    )
    revoked_at = models.DateTimeField(_("revoked"), null=True, editable=False)
    last_used_at = models.DateTimeField(_("last used"), null=True, editable=False)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ("-created", "-id")

    def __str__(self) -> str:
        return f"pk_{self.prefix}"

    @property
    def origin(self) -> ChangeOrigin:
        """Return the origin of changes made with a key (IMP-314)."""
        return ChangeOrigin.API_KEY

    def acting_user(self) -> User:
        """Return the user as whom the key acts, with no more rights than its scopes."""
        user = self.user
        user.key_scopes = scopes_of(self.scopes)
        return user

    @property
    def is_good(self) -> bool:
        """Return whether the key is neither expired nor revoked."""
        in_time = self.expires_at is None or self.expires_at > timezone.now()
        return self.revoked_at is None and in_time
