"""The buttons that create a document from another one. If the copy is incomplete, a
form opens that asks for the missing values, such as a bank account."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode
from django.utils.translation import gettext

from documents import services
from documents.admin.buttons import ButtonsMixin, button, page_of
from documents.creation import creations
from documents.serializers import MODELS
from platform_site.records.admin import is_key
from platform_site.records.admin.properties import Properties
from platform_site.records.errors import LimitReached, NotAllowed, Refusal

_SOURCE, _SOURCE_ID = "source", "source_id"


class CopiesMixin(ButtonsMixin):
    """The buttons that create other documents from one, and the prefilled forms."""

    def get_urls(self) -> list[URLPattern]:
        """Add the path of the create buttons."""
        create = self.button_path("create/<str:target>/", self.create_view, "create")
        return [create, *super().get_urls()]

    def buttons(self, request: HttpRequest, row: Any) -> list[dict[str, Any]]:
        """Return the buttons, including one for each document that this user may
        create."""
        found = super().buttons(request, row)
        for name, model in _targets(row.catalog_name).items():
            if request.user.has_perm(f"documents.add_{model._meta.model_name}"):
                words = {"document": model._meta.verbose_name}
                label = gettext("Create %(document)s") % words
                found.append(button(row, label, "create", name))
        return found

    def create_view(
        self, request: HttpRequest, object_id: str, target: str
    ) -> HttpResponse:
        """Create an unposted document from another and redirect to it."""
        source = self.document(request, object_id)
        if source is None:
            return self.missing_response(request, object_id)
        model = _targets(source.catalog_name).get(target)
        if model is None:
            raise Http404
        try:
            # If nothing can be copied, the message belongs on the source's page.
            _copied(request, source, model)
        except Refusal as refusal:
            self.message_user(request, self.sentence(source, refusal), messages.ERROR)
            return self.to_page(source)
        try:
            created = services.create_from(
                source=source, target=model, overrides={}, actor=request.user
            )
        except NotAllowed as error:
            raise PermissionDenied(str(error)) from None
        except LimitReached as limit:
            # A form wouldn't help.
            self.message_user(request, self.sentence(source, limit), messages.ERROR)
            return self.to_page(source)
        except Refusal as refusal:
            return self._redirect_to_form(request, source, model, refusal)
        words = {"document": created, "source": source}
        said = gettext("%(document)s was created from %(source)s.") % words
        self.message_user(request, said, messages.SUCCESS)
        return self.to_page(created)

    def _redirect_to_form(
        self, request: HttpRequest, source: Any, model: Any, refusal: Refusal
    ) -> HttpResponse:
        """Redirect to the add form, prefilled with the values that could be copied."""
        properties = Properties(model)
        why = " ".join(properties.sentence(each) for each in refusal.problems)
        said = gettext("Nothing is created yet. Complete the form and save it: %s")
        self.message_user(request, said % why, messages.WARNING)
        query = urlencode({_SOURCE: source.catalog_name, _SOURCE_ID: source.pk})
        return HttpResponseRedirect(f"{page_of(model, 'add')}?{query}")

    # -- the form of a new document ------------------------------------------------

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Return the initial values: those of the source, or the current time as
        date."""
        values = self._from_source(request)
        if values is None:
            now = {"date": timezone.now()}
            return {**now, **super().get_changeform_initial_data(request)}
        return {
            field: _typed(self.model._meta.get_field(field), values[name])
            for name, field in self.properties.items()
            if name in values
        }

    def copied_lines(self, request: HttpRequest) -> list[dict[str, Any]] | None:
        """Return the lines of the source as model values, None if there is no
        source."""
        values = self._from_source(request)
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

    def _from_source(self, request: HttpRequest) -> dict[str, Any] | None:
        name, key = request.GET.get(_SOURCE, ""), request.GET.get(_SOURCE_ID, "")
        model = MODELS.get(name)
        if model is None or not is_key(key):
            return None
        source = model._base_manager.filter(pk=int(key)).first()
        if source is None or self.model.catalog_name not in _targets(name):
            return None
        try:
            return _copied(request, source, self.model)
        except Refusal:
            return None


def _targets(source: str) -> dict[str, Any]:
    """Return the kinds of documents that can be created from this kind."""
    return {
        each.target: MODELS[each.target]
        for each in creations()
        if each.source == source and each.target in MODELS
    }


def _copied(request: HttpRequest, source: Any, model: Any) -> dict[str, Any]:
    """Return the wire values of a copy; raise PermissionDenied without the rights."""
    try:
        return services.copied(
            source, model, {}, actor=request.user, now=timezone.now()
        )
    except NotAllowed as error:
        raise PermissionDenied(str(error)) from None


def _typed(field: Any, value: Any) -> Any:
    """Return a wire value as form fields expect it."""
    return parse_datetime(value) if isinstance(field, models.DateTimeField) else value
