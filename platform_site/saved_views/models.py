"""The models of saved views, and of the views with which people open their lists."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext_lazy as _, gettext_noop

LONGEST_NAME: Final = 60
LONGEST_QUERY: Final = 2000


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    """A query set of saved views."""

    def seen_by(self, user: Any, listed: str) -> SavedViewQuerySet:
        """Return a person's views of a list and the shared ones, by name.

        Each has in ``is_default`` whether the list opens with it for this person.
        """
        defaults = DefaultView.objects.filter(user=user, view=OuterRef("pk"))
        return (
            self.filter(Q(user=user) | Q(is_shared=True), list=listed)
            .annotate(is_default=Exists(defaults))
            .order_by("name", "pk")
        )


class SavedView(models.Model):
    """The filters, order and columns of a list under a name, of one person.

    A shared view is seen by everybody who may see the list; only its owner, or an
    administrator, changes it.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user account"),
        on_delete=models.CASCADE,
        related_name="+",
        # The constraint below begins with it.
        db_index=False,
    )
    # The list as "app_label.model".
    list = models.CharField(_("list"), max_length=100)
    name = models.CharField(_("name"), max_length=LONGEST_NAME)
    query = models.CharField(_("query"), max_length=LONGEST_QUERY, blank=True)
    is_shared = models.BooleanField(_("shared"), default=False)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        # Everybody has views of their own, so there is only the right to share them.
        default_permissions = ()
        permissions = [
            ("share_savedview", gettext_noop("Can share saved views of lists"))
        ]
        constraints = (
            models.UniqueConstraint(
                fields=("user", "list", "name"), name="saved_view_name_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("list",),
                condition=Q(is_shared=True),
                name="saved_view_shared",
            ),
        )

    def __str__(self) -> str:
        return self.name


class DefaultView(models.Model):
    """The view with which a list opens for a person, one for each list."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        # The constraint below begins with it.
        db_index=False,
    )
    list = models.CharField(max_length=100)
    view = models.ForeignKey(SavedView, on_delete=models.CASCADE, related_name="+")

    class Meta:
        default_permissions = ()
        constraints = (
            models.UniqueConstraint(
                fields=("user", "list"), name="default_view_once_a_list"
            ),
        )

    def __str__(self) -> str:
        return f"{self.list}: {self.view_id}"
