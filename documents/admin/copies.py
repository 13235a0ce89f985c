"""The forms of documents that are created from others, or as a copy of one: they open
filled in, and nothing is written until they are saved."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode
from django.utils.translation import gettext

from documents.admin.buttons import ButtonsMixin, page_of
from documents.creation import creations
from documents.defaults import defaults_for
from documents.proposals import proposal
from documents.serializers import MODELS
from platform_site.records.admin import is_key
from platform_site.records.admin.row_parts import RowAction
from platform_site.records.errors import NotAllowed, Refusal

_SOURCE, _SOURCE_ID = "source", "source_id"


class CopiesMixin(ButtonsMixin):
    """The form of a new document, filled in from another one or with defaults."""

    def copy_action(self, request: HttpRequest, row: Any) -> list[RowAction]:
        """Return the link that copies a document, if the user may add another."""
        if not self.has_add_permission(request):
            return []
        return [RowAction(gettext("Copy"), _form_of(row, self.model), "copy")]

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        """Show the form; if nothing can be created from the source, say why on the
        page of the source."""
        source = self._copied_document(request)
        if source is not None and request.method in ("GET", "HEAD"):
            try:
                self._from_source(request)
            except Refusal as refusal:
                sentence = self.sentence(source, refusal)
                self.message_user(request, sentence, messages.ERROR)
                return self.to_page(source)
        return super().add_view(request, form_url, extra_context)

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the initial values: those proposed for the source, else the current
        time and what the person chose last."""
        values = self._from_source(request)
        defaults: dict[str, Any] = {"date": timezone.now()}
        defaults |= defaults_for(self.model, request.user)
        if values is None:
            return {**defaults, **super().get_changeform_initial_data(request)}
        proposed = {
            field: _typed(self.model._meta.get_field(field), values[name])
            for name, field in self.properties.items()
            if name in values
        }
        # The account of another currency would be no default for a payment.
        defaults.pop("bank_account", None)
        return {**defaults, **proposed}

    def copied_lines(self, request: HttpRequest) -> list[dict[str, Any]] | None:
        """Return the lines proposed for the source as model values, None if there is no
        source."""
        typed = request.method == "POST"
        values = None if typed else self._from_source(request)
        if values is None:
            return None
        return [
            {
                "item_id": line["itemId"],
                "quantity": Decimal(line["quantity"]),
                "price": Decimal(line["price"]),
            }
            for line in values.get("lines", ())
        ]

    def _copied_document(self, request: HttpRequest) -> Any | None:
        """Return the document that the form is filled in from, None without one."""
        name, key = request.GET.get(_SOURCE, ""), request.GET.get(_SOURCE_ID, "")
        model = MODELS.get(name)
        if model is None or not is_key(key):
            return None
        source = model._base_manager.filter(pk=int(key)).first()
        possible = source is not None and (
            model is self.model or self.model.catalog_name in _targets(source)
        )
        return source if possible else None

    def _from_source(self, request: HttpRequest) -> dict[str, Any] | None:
        """Return the proposed wire values, once per request; raise Refusal if there are
        none, PermissionDenied without the rights."""
        known: dict[str, Any] | None = getattr(request, "proposed", None)
        source = None if known is not None else self._copied_document(request)
        if source is None:
            return known
        try:
            known = proposal(source, self.model, request.user)
        except NotAllowed as error:
            raise PermissionDenied(str(error)) from None
        request.proposed = known  # type: ignore[attr-defined]
        return known


def create_action(row: Any, model: Any) -> RowAction:
    """Return the link to the form of a document created from another."""
    words = {"document": model._meta.verbose_name}
    label = gettext("Create %(document)s") % words
    return RowAction(label, _form_of(row, model), "plus")


def may_add(request: HttpRequest, model: Any) -> bool:
    """Return whether the user may add documents of a kind."""
    opts = model._meta
    return bool(request.user.has_perm(f"{opts.app_label}.add_{opts.model_name}"))


def _form_of(source: Any, model: Any) -> str:
    query = urlencode({_SOURCE: source.catalog_name, _SOURCE_ID: source.pk})
    return f"{page_of(model, 'add')}?{query}"


def _targets(source: Any) -> dict[str, Any]:
    """Return the kinds of documents that can be created from this one."""
    return {
        each.target: MODELS[each.target]
        for each in creations()
        if each.source == source.catalog_name and each.target in MODELS
    }


def _typed(field: Any, value: Any) -> Any:
    """Return a wire value as form fields expect it."""
    if isinstance(field, models.DateTimeField):
        return parse_datetime(value)
    return Decimal(value) if isinstance(field, models.DecimalField) else value
