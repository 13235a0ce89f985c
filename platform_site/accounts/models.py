"""The tables of users, their keys and tokens, and of the rights already handed out:
written by the services and the seeding of this app, read by sign-in and by everything
that asks who may do what."""

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
from platform_site.accounts.security_log import record_security_change
from platform_site.accounts.time_zones import validate_time_zone
from platform_site.changes.services import ChangeEvent, ChangeOrigin


class User(AbstractUser):
    """A person or program known to the platform by its name."""

    catalog_name: ClassVar[str] = "Users"

    # Django's own: the password in clear between being set and being saved.
    _password: str | None
    _password_taken_away = False
    # Whether a service writes the event of its creation, which has its roles too.
    told_by_service = False

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
    # Tokens and sessions that bear another stamp are worth nothing. No moment: a clock
    # that was wrong for a while must shut nobody out.
    token_stamp = models.CharField(
        max_length=32, default="", blank=True, editable=False
    )

    class Meta(AbstractUser.Meta):
        ordering = ("username",)

    @property
    def is_locked(self) -> bool:
        """Tell whether sign-in with a password is blocked now (OPEN-115)."""
        return self.locked_until is not None and self.locked_until > timezone.now()

    @property
    def origin(self) -> ChangeOrigin:
        """Name the occasion of what this account changes by itself (OPEN-80)."""
        return (
            ChangeOrigin.MCP_AGENT if self.username == MCP_AGENT else ChangeOrigin.USER
        )

    def clean(self) -> None:
        """Refuse a name like the scheduler's, and that its account becomes another."""
        super().clean()
        check_account(type(self)._default_manager.filter(pk=self.pk).first(), self)

    def end_tokens(self) -> None:
        """Make every token and session worthless, once the account is saved."""
        self.token_stamp = secrets.token_hex(8)

    def _get_session_auth_hash(self, secret: Any = None) -> str:
        """Return what a session must bear; without a stamp it is Django's own."""
        of_password: str = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        if not self.token_stamp:
            return of_password
        text = of_password + self.token_stamp
        hashed = salted_hmac("platform.session", text, secret, algorithm="sha256")
        return str(hashed.hexdigest())

    def set_unusable_password(self) -> None:
        """Take the password away; sign-in then needs another way than a password."""
        super().set_unusable_password()
        self._password_taken_away = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save, with a change event if the account is new or got another password.

        Another password ends every token and session, and PermissionDenied says whose
        may not be changed. Here rather than in a service, because Django's own password
        page and its commands `changepassword` and `createsuperuser` know nothing but
        `save`.
        """
        using = kwargs.get("using") or router.db_for_write(type(self), instance=self)
        with transaction.atomic(using=using):
            renewed = self._password is not None or self._password_taken_away
            adding = self._state.adding
            if renewed and not adding:
                refuse_beyond_own(type(self)._default_manager.get(pk=self.pk))
                self.end_tokens()
                if kwargs.get("update_fields") is not None:
                    kwargs["update_fields"] = {*kwargs["update_fields"], "token_stamp"}
            super().save(*args, **kwargs)
            self._password_taken_away = False
            if adding and not self.told_by_service:
                created = difference(None, describe(self, []))
                self.record(ChangeEvent.Action.CREATED, created)
            if renewed and not adding:
                hidden = {"password": ["not shown", "not shown"]}
                self.record(ChangeEvent.Action.UPDATED, hidden)

    def record(self, action: str, changes: Mapping[str, Sequence[Any]]) -> None:
        """Write what happened to the account into the history and the security trail."""
        record_security_change(
            action=action,
            model=self.catalog_name,
            row_id=self.pk,
            row=self.username,
            changes=changes,
        )


class Role(Group):
    """Rights under one name, given to users: Django's group, as people here call it."""

    catalog_name: ClassVar[str] = "Roles"

    class Meta:
        proxy = True
        verbose_name = _("role")
        verbose_name_plural = _("roles")

    def clean(self) -> None:
        """Refuse a new name that is not one line, or could be taken for another's."""
        super().clean()
        names = dict(Group.objects.values_list("pk", "name"))
        if names.pop(self.pk, None) != self.name:
            check_role_name(self.name, names.values())


class SeededPermission(models.Model):
    """The record that a right has been given to the roles once.

    What an administrator does with it afterwards is theirs to decide (OPEN-116).
    """

    app_label = models.CharField(max_length=100)
    codename = models.CharField(max_length=100)

    class Meta:
        verbose_name = _("right handed out")
        verbose_name_plural = _("rights handed out")
        default_permissions = ()
        constraints = (
            models.UniqueConstraint(
                fields=("app_label", "codename"), name="seeded_permission_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.app_label}.{self.codename}"


class Installation(models.Model):
    """The permanent id of the installation for other systems, in a single row."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)

    class Meta:
        verbose_name = _("installation")
        verbose_name_plural = _("installations")
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.id)


class ApiKey(models.Model):
    """A key by which a program acts as a user; of the key itself only a digest stays."""

    catalog_name: ClassVar[str] = "ApiKeys"

    user = models.ForeignKey(
        User,
        on_delete=models.CASCADE,
        related_name="api_keys",
        verbose_name=_("user"),
        help_text=_("Whoever sends the key acts as this user, with their rights."),
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
        """Name the occasion of a change made with a key (IMP-314)."""
        return ChangeOrigin.API_KEY

    @property
    def is_good(self) -> bool:
        """Tell whether the key opens anything now, as far as the key itself goes."""
        in_time = self.expires_at is None or self.expires_at > timezone.now()
        return self.revoked_at is None and in_time


class UsedRefreshToken(models.Model):
    """A refresh token that was exchanged: it is valid once, so it is kept until it
    expires."""

    jti = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("used refresh token")
        verbose_name_plural = _("used refresh tokens")
        default_permissions = ()

    def __str__(self) -> str:
        return self.jti


class EndedTokenFamily(models.Model):
    """The tokens that came from one sign-in and are worth nothing any more, although
    their time isn't over: somebody signed out, or one of them was used twice."""

    family = models.CharField(max_length=64, unique=True)
    # When the last token of the family ends by itself.
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("ended token family")
        verbose_name_plural = _("ended token families")
        default_permissions = ()

    def __str__(self) -> str:
        return self.family


class SignInCounter(models.Model):
    """How often signing in failed for one name, network or device, and when it last
    succeeded. Whose it is stands in a digest: people type passwords as user names."""

    key = models.CharField(max_length=64, unique=True)
    failures = models.PositiveSmallIntegerField(default=0)
    failed_at = models.DateTimeField(null=True, db_index=True)
    succeeded_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("counter of sign-ins")
        verbose_name_plural = _("counters of sign-ins")
        default_permissions = ()

    def __str__(self) -> str:
        return self.key
