"""The buttons that post and unpost a document, and the list actions that do it for
several. Each button sends a POST request; a refusal is shown on the page it came
from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext, gettext_lazy as _
from django.views.decorators.http import require_POST

from documents import services
from documents.models import LedgerEntry, StockMovement
from platform_site.records.admin import RecordAdmin, is_key
from platform_site.records.admin.filters import DELETED
from platform_site.records.errors import NotAllowed, Refusal, Stale

_SWITCHES = ("post_selected", "unpost_selected")


class ButtonsMixin(RecordAdmin):
    """The buttons that post and unpost documents, and links to their register rows."""

    actions: Any = (*_SWITCHES, *RecordAdmin.actions)

    def get_urls(self) -> list[URLPattern]:
        """Add the paths of the buttons."""
        return [
            self.button_path("post/", self.post_view, "post"),
            self.button_path("unpost/", self.unpost_view, "unpost"),
            *super().get_urls(),
        ]

    def button_path(self, route: str, view: Callable[..., Any], name: str) -> Any:
        """Return the path of a button of one document."""
        opts = self.opts
        return path(
            f"<path:object_id>/{route}",
            self.admin_site.admin_view(require_POST(view)),
            name=f"{opts.app_label}_{opts.model_name}_{name}",
        )

    # -- permissions ---------------------------------------------------------------

    def has_post_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may post documents of this kind."""
        return self._may(request, "post")

    def has_unpost_permission(self, request: HttpRequest) -> bool:
        """Return whether the user may unpost documents of this kind."""
        return self._may(request, "unpost")

    def _may(self, request: HttpRequest, action: str) -> bool:
        right = f"{self.opts.app_label}.{action}_{self.opts.model_name}"
        return bool(request.user.has_perm(right))

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Return the list actions; deleted documents can't be posted or unposted."""
        found = super().get_actions(request)
        deleted = request.GET.get(DELETED) == "yes"
        return {n: a for n, a in found.items() if not (deleted and n in _SWITCHES)}

    # -- one document --------------------------------------------------------------

    def post_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Post a document."""
        if not self.has_post_permission(request):
            raise PermissionDenied
        said = gettext("%(document)s is posted.")
        return self._switch(request, object_id, services.post, said)

    def unpost_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Unpost a document."""
        if not self.has_unpost_permission(request):
            raise PermissionDenied
        said = gettext("%(document)s is no longer posted.")
        return self._switch(request, object_id, services.unpost, said)

    def _switch(
        self, request: HttpRequest, object_id: str, switch: Any, said: str
    ) -> HttpResponse:
        row = self.document(request, object_id)
        if row is None:
            return self.missing_response(request, object_id)
        version = request.POST.get("version", "")
        try:
            switch(
                row=row,
                actor=request.user,
                expected_version=int(version) if is_key(version) else None,
            )
        except NotAllowed as error:
            raise PermissionDenied(str(error)) from None
        except (Refusal, Stale) as error:
            self.message_user(request, self.sentence(row, error), messages.ERROR)
        else:
            self.message_user(request, said % {"document": row}, messages.SUCCESS)
        return self.to_page(row)

    def document(self, request: HttpRequest, object_id: str) -> Any | None:
        """Return the document of a button, or None; raise PermissionDenied if it isn't
        visible."""
        row = self.get_object(request, unquote(object_id))
        if row is not None and not self.has_view_or_change_permission(request, row):
            raise PermissionDenied
        return row

    def missing_response(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Return the redirect and message that the admin gives for a missing row."""
        missing: Any = self
        answer: HttpResponse = missing._get_obj_does_not_exist_redirect(
            request, self.opts, object_id
        )
        return answer

    def to_page(self, row: Any) -> HttpResponseRedirect:
        """Return a redirect to the page of a document."""
        return HttpResponseRedirect(page_of(row, "row", row.pk))

    # -- many documents ------------------------------------------------------------

    @admin.action(
        description=_("Post selected %(verbose_name_plural)s"), permissions=["post"]
    )
    def post_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Post the documents in order of date: later ones may need stock from earlier
        ones."""
        rows = queryset.order_by("date", "pk")
        done = self._each(request, rows, services.post)
        self._say(request, gettext("%(count)d %(rows)s posted."), done)

    @admin.action(
        description=_("Unpost selected %(verbose_name_plural)s"),
        permissions=["unpost"],
    )
    def unpost_selected(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Unpost the documents, the latest first."""
        rows = queryset.order_by("-date", "-pk")
        done = self._each(request, rows, services.unpost)
        self._say(request, gettext("%(count)d %(rows)s unposted."), done)

    # -- the page of a document ----------------------------------------------------

    def buttons(self, request: HttpRequest, row: Any) -> list[dict[str, Any]]:
        """Return the buttons of a document."""
        found = []
        if not row.is_active and self.has_post_permission(request):
            found.append(button(row, gettext("Post"), "post", "badge-check"))
        if row.is_active and self.has_unpost_permission(request):
            found.append(button(row, gettext("Unpost"), "unpost", "undo-2"))
        return found

    def links(self, request: HttpRequest, row: Any) -> list[dict[str, str]]:
        """Return the links to the register rows of a posted document."""
        if not row.is_active:
            return []
        registers = (
            (StockMovement, gettext("Stock movements")) if row.stock_sign else None,
            (LedgerEntry, gettext("Ledger entries")) if row.postings_from else None,
        )
        own = f"?document_type={row.catalog_name}&document_id={row.pk}"
        return [
            {"label": label, "url": page_of(model, "changelist") + own}
            for model, label in filter(None, registers)
            if request.user.has_perm(f"documents.view_{model._meta.model_name}")
        ]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> Any:
        """Render the page with the buttons that apply to the document."""
        row = kwargs.get("obj")
        if row is not None and not row.is_deleted:
            context["buttons"] = self.buttons(request, row)
            context["links"] = self.links(request, row)
        unposted = row is None or not row.is_active
        context["show_save_and_post"] = (
            unposted
            and not context.get("is_popup")
            and self.has_post_permission(request)
            and (
                self.has_add_permission(request)
                if row is None
                else self.has_change_permission(request, row)
            )
        )
        return super().render_change_form(request, context, *args, **kwargs)


def button(row: Any, label: str, page: str, icon: str) -> dict[str, Any]:
    """Return a button as the template expects it."""
    url = page_of(row, page, row.pk)
    return {"label": label, "url": url, "version": row.version, "icon": icon}


def page_of(model: Any, page: str, *args: Any) -> str:
    """Return the URL of an admin page."""
    opts = model._meta
    return reverse(f"admin:{opts.app_label}_{opts.model_name}_{page}", args=args)
