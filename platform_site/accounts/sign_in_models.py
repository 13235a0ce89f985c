"""The models of used and ended tokens and of failed sign-ins."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class UsedRefreshToken(models.Model):
    """A refresh token that was exchanged; kept until it expires, since it is valid
    once."""

    jti = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("used refresh token")
        verbose_name_plural = _("used refresh tokens")
        default_permissions = ()

    def __str__(self) -> str:
        return self.jti


class EndedTokenFamily(models.Model):
    """The tokens of one sign-in that ended early, because the user signed out or a
    refresh token was used twice."""

    family = models.CharField(max_length=64, unique=True)
    # When the last token of the family expires.
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name = _("ended token family")
        verbose_name_plural = _("ended token families")
        default_permissions = ()

    def __str__(self) -> str:
        return self.family


class SignInCounter(models.Model):
    """The failures of one name, network or device, and the time of its last success.
    The key is a digest, because people type passwords as user names."""

    key = models.CharField(max_length=64, unique=True)
    failures = models.PositiveSmallIntegerField(default=0)
    failed_at = models.DateTimeField(null=True, db_index=True)
    succeeded_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("sign-in counter")
        verbose_name_plural = _("sign-in counters")
        default_permissions = ()

    def __str__(self) -> str:
        return self.key
