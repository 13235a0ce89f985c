"""The services of saved views: everybody writes their own, and shared ones are written by
their owner and by administrators."""

from __future__ import annotations

from typing import Any, Final

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from platform_site.accounts.services import is_administrator
from platform_site.saved_views.models import (
    LONGEST_NAME,
    LONGEST_QUERY,
    DefaultView,
    SavedView,
)

MOST_VIEWS: Final = 100


def may_share(user: Any) -> bool:
    """Return whether a person may share views with everybody."""
    return bool(user.has_perm("saved_views.share_savedview"))


def may_change(user: Any, view: SavedView) -> bool:
    """Return whether a person may change or delete a view."""
    own = view.user_id == user.pk
    return own or (view.is_shared and bool(is_administrator(user)))


def save_view(
    *, user: Any, listed: str, name: str, query: str, shared: bool
) -> SavedView:
    """Save a new view of a person; raise ValidationError with a sentence."""
    if shared and not may_share(user):
        raise PermissionDenied
    name = _checked_name(name)
    _check_query(query)
    with transaction.atomic():
        if SavedView.objects.filter(user=user).count() >= MOST_VIEWS:
            sentence = _("You have %(most)s saved views; delete one first.")
            raise ValidationError(sentence % {"most": MOST_VIEWS})
        _check_unused(user.pk, listed, name)
        return SavedView.objects.create(
            user=user, list=listed, name=name, query=query, is_shared=shared
        )


def update_view(*, user: Any, view: SavedView, query: str) -> None:
    """Give a view the filters, order and columns of a list."""
    _require_change(user, view)
    _check_query(query)
    view.query = query
    view.save(update_fields=("query",))


def rename_view(*, user: Any, view: SavedView, name: str) -> None:
    """Give a view another name; raise ValidationError with a sentence."""
    _require_change(user, view)
    name = _checked_name(name)
    with transaction.atomic():
        if name != view.name:
            _check_unused(view.user_id, view.list, name)
        view.name = name
        view.save(update_fields=("name",))


def share_view(*, user: Any, view: SavedView, shared: bool) -> None:
    """Share a view with everybody, or no longer.

    Those who opened the list with it no longer do if they no longer see it.
    """
    _require_change(user, view)
    if shared and not may_share(user):
        raise PermissionDenied
    with transaction.atomic():
        view.is_shared = shared
        view.save(update_fields=("is_shared",))
        if not shared:
            of_others = DefaultView.objects.filter(view=view)
            of_others.exclude(user_id=view.user_id).delete()


def delete_view(*, user: Any, view: SavedView) -> None:
    """Delete a view."""
    _require_change(user, view)
    view.delete()


def set_default(*, user: Any, listed: str, view: SavedView | None) -> None:
    """Open a list with a view for a person, or with all rows."""
    if view is None:
        DefaultView.objects.filter(user=user, list=listed).delete()
        return
    DefaultView.objects.update_or_create(
        user=user, list=listed, defaults={"view": view}
    )


def _require_change(user: Any, view: SavedView) -> None:
    if not may_change(user, view):
        raise PermissionDenied


def _checked_name(name: str) -> str:
    name = " ".join(name.replace("\0", "").split())
    if not name:
        raise ValidationError(_("Give the view a name."))
    if len(name) > LONGEST_NAME:
        sentence = _("The name of a view can have %(most)s characters.")
        raise ValidationError(sentence % {"most": LONGEST_NAME})
    return name


def _check_query(query: str) -> None:
    if len(query) > LONGEST_QUERY or "\0" in query:
        raise ValidationError(_("These filters are too long to be saved."))


def _check_unused(owner_id: Any, listed: str, name: str) -> None:
    if SavedView.objects.filter(user_id=owner_id, list=listed, name=name).exists():
        sentence = _("There is a view “%(name)s” already; choose another name.")
        raise ValidationError(sentence % {"name": name})
