"""The saved views of a list: its menu, the address that a view stands for, and the forms
that save, rename, share and delete views."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin, messages
from django.contrib.admin import FieldListFilter
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ORDER_VAR, SEARCH_VAR
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    QueryDict,
)
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from platform_site.records.admin import columns
from platform_site.saved_views import services
from platform_site.saved_views.models import SavedView

VIEW: Final = "view"
# The value of the parameter that opens the whole list instead of the usual view.
_ALL: Final = "all"
_MOST_DIGITS: Final = 18
# What belongs to a page and not to a view.
_NOT_SAVED: Final = (VIEW, "p", "e", "all", "_popup", "_facets")


@dataclass(frozen=True, slots=True)
class ViewMenu:
    """The saved views of a list for its reader."""

    # Own and shared ones, by name.
    views: list[Any]
    # The one that is shown, and the one with which the list opens.
    current: Any
    default: Any
    # The filters, order and columns that are shown now.
    query: str
    is_changed: bool
    may_share: bool
    may_change: bool
    address: str


class SavedViewsMixin(admin.ModelAdmin[Any]):
    """A list that opens with saved views."""

    def get_urls(self) -> list[URLPattern]:
        """Return the paths, with that of the forms for views."""
        paths = super().get_urls()
        named = f"{self.opts.app_label}_{self.opts.model_name}"
        if not any(each.name == f"{named}_change" for each in paths):
            return paths  # a way to another page, without a list
        view = self.admin_site.admin_view(require_POST(self.views_view))
        return [path("views/", view, name=f"{named}_views"), *paths]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list; redirect to the filters of a saved view that is asked for."""
        if request.method != "POST" and self.has_view_or_change_permission(request):
            asked = self._asked_view(request)
            if asked is not None:
                return HttpResponseRedirect(self._opened(request, asked))
        return super().changelist_view(request, extra_context)

    def views_view(self, request: HttpRequest) -> HttpResponse:
        """Do what a form of the menu of views asks, and show the list again."""
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        do = _ACTIONS.get(request.POST.get("action", ""))
        if do is None:
            raise Http404
        query = self._known(request.POST.get("query", ""), self._filters(request))[0]
        view = _view(self._views(request), request.POST.get(VIEW, ""))
        try:
            shown, sentence = do(self, request, view, query)
        except ValidationError as refusal:
            for each in refusal.messages:
                self.message_user(request, each, messages.ERROR)
            shown = query if view is None else f"{query}&{VIEW}={view.pk}"
        else:
            self.message_user(request, sentence, messages.SUCCESS)
        return HttpResponseRedirect(f"{self._address()}?{shown}")

    def view_menu(self, changelist: Any) -> ViewMenu:
        """Return the views of the reader of a list."""
        request = changelist.request
        views = self._views(request)
        current = _view(views, changelist.params.get(VIEW, ""))
        kept = {**changelist.filter_params, ORDER_VAR: [changelist.named_order]}
        own = [each.expected_parameters() for each in changelist.filter_specs]
        filters = filter(None, itertools.chain.from_iterable(own))
        query = self._known(urlencode(kept, doseq=True), filters)[0]
        user = request.user
        return ViewMenu(
            views,
            current,
            next((one for one in views if one.is_default), None),
            query,
            current is not None and current.query != query,
            services.may_share(user),
            current is not None and services.may_change(user, current),
            f"{self._address()}views/",
        )

    def _views(self, request: Any) -> list[Any]:
        """Return the views of a list that a person sees, with one query a request."""
        if not hasattr(request, "list_views"):
            rows = SavedView.objects.seen_by(request.user, self.opts.label_lower)
            request.list_views = list(rows)
        found: list[Any] = request.list_views
        return found

    def _asked_view(self, request: HttpRequest) -> Any:
        """Return the view that an address asks for, None if it shows what it says."""
        if not request.GET:
            found = (one for one in self._views(request) if one.is_default)
            return next(found, None)
        asked = request.GET.get(VIEW, "")
        if set(request.GET) != {VIEW} or asked == _ALL:
            return None
        return _view(self._views(request), asked)

    def _opened(self, request: HttpRequest, view: Any) -> str:
        """Return the address that a view stands for, without what no longer exists."""
        query, gone = self._known(view.query, self._filters(request))
        if gone:
            sentence = _(
                "The view “%(view)s” has filters or columns that no longer exist: "
                "%(names)s. The others are applied."
            )
            words = {"view": view.name, "names": ", ".join(gone)}
            self.message_user(request, sentence % words, messages.WARNING)
        both = f"{query}&" if query else ""
        # With the view alone, the address would stand for the view again.
        end = "" if query else "&p=1"
        return f"{self._address()}?{both}{VIEW}={view.pk}{end}"

    def _address(self) -> str:
        name = f"{self.opts.app_label}_{self.opts.model_name}_changelist"
        return reverse(f"{self.admin_site.name}:{name}")

    def _known(self, query: str, filters: Iterable[str]) -> tuple[str, list[str]]:
        """Return the parameters of a list in a query, and the names of all others."""
        given = QueryDict(query)
        offered = columns.offered(self, self.list_display)
        chosen = columns.names_in(given.getlist(columns.COLUMNS))
        gone = [name for name in chosen if name not in offered]
        left = [(columns.COLUMNS, ",".join(name for name in chosen if name in offered))]
        known = {*filters, *self._own_parameters()}
        for name, values in given.lists():
            if name in known:
                left += [(name, value) for value in values]
            elif name not in (columns.COLUMNS, *_NOT_SAVED):
                gone.append(name)
        return urlencode(sorted(pair for pair in left if pair[1])), gone

    def _own_parameters(self) -> Iterator[str]:
        """Yield the parameters that every list has, and those of links to this one."""
        yield from (SEARCH_VAR, ORDER_VAR, *getattr(self, "linked_by", ()))
        dated = self.date_hierarchy
        if dated:
            yield from (f"{dated}__{part}" for part in ("year", "month", "day"))

    def _filters(self, request: HttpRequest) -> Iterator[str]:
        """Yield the parameters of the filters of the list."""
        for each in self.get_list_filter(request):
            for name in _filter(self, request, each).expected_parameters():
                if name:
                    yield name


def _filter(pages: Any, request: HttpRequest, each: Any) -> Any:
    """Return a filter of a list without any value, as Django makes it."""
    if callable(each):
        return each(request, {}, pages.model, pages)
    name, kind = each if isinstance(each, tuple | list) else (each, None)
    field = get_fields_from_path(pages.model, name)[-1]
    made: Any = kind or FieldListFilter.create
    return made(field, request, {}, pages.model, pages, field_path=name)


def _view(views: list[Any], text: str) -> Any:
    """Return the view with a key among those that a person sees, None without one."""
    is_key = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return next((one for one in views if is_key and one.pk == int(text)), None)


# -- what the forms of the menu do; each returns what is shown next, and what was done ---

_Done = tuple[str, str]


def _save(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    saved = services.save_view(
        user=request.user,
        listed=pages.opts.label_lower,
        name=request.POST.get("name", ""),
        query=query,
        shared=request.POST.get("shared") == "on",
    )
    words = {"view": saved.name}
    return f"{VIEW}={saved.pk}", _("The view “%(view)s” has been saved.") % words


def _update(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    services.update_view(user=request.user, view=_wanted(view), query=query)
    words = {"view": view.name}
    return f"{VIEW}={view.pk}", _("The view “%(view)s” has been saved.") % words


def _rename(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    name = request.POST.get("name", "")
    services.rename_view(user=request.user, view=_wanted(view), name=name)
    words = {"view": view.name}
    return f"{VIEW}={view.pk}", _("The view is now called “%(view)s”.") % words


def _delete(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    name = _wanted(view).name
    services.delete_view(user=request.user, view=view)
    return query or f"{VIEW}={_ALL}", _("The view “%(view)s” is deleted.") % {
        "view": name
    }


def _share(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    services.share_view(user=request.user, view=_wanted(view), shared=True)
    words = {"view": view.name}
    return f"{VIEW}={view.pk}", _("Everybody can now use the view “%(view)s”.") % words


def _unshare(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    services.share_view(user=request.user, view=_wanted(view), shared=False)
    words = {"view": view.name}
    shown = f"{VIEW}={view.pk if view.user_id == request.user.pk else _ALL}"
    return shown, _("The view “%(view)s” is no longer shared.") % words


def _open_with(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    listed = pages.opts.label_lower
    services.set_default(user=request.user, listed=listed, view=_wanted(view))
    words = {"view": view.name}
    return f"{VIEW}={view.pk}", _("The list now opens with “%(view)s”.") % words


def _open_whole(pages: Any, request: HttpRequest, view: Any, query: str) -> _Done:
    services.set_default(user=request.user, listed=pages.opts.label_lower, view=None)
    return f"{VIEW}={_ALL}", _("The list now opens with all rows.")


def _wanted(view: Any) -> Any:
    if view is None:
        raise Http404
    return view


_ACTIONS: Final[dict[str, Callable[[Any, HttpRequest, Any, str], _Done]]] = {
    "save": _save,
    "update": _update,
    "rename": _rename,
    "delete": _delete,
    "share": _share,
    "unshare": _unshare,
    "open-with": _open_with,
    "open-whole": _open_whole,
}
