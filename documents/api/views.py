"""What other programs can do with documents beyond what all rows offer: post them, take
that back, and create one from another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.models import Document
from importer import did_you_mean, printable
from platform_site.idempotency.views import repeatable
from platform_site.records.api.views import (
    RecordViewSet,
    RowViewSet,
    existing,
    values_of,
)
from platform_site.records.errors import Problem, Refusal

_OVERRIDES: Final = "overrides"


class DocumentViewSet(RecordViewSet):
    """All there is to do with the documents of one kind."""

    rights: ClassVar[dict[str, str]] = {"post_row": "post", "unpost_row": "unpost"}
    # They answer the document, as its page does that has their buttons.
    shown: ClassVar[frozenset[str]] = frozenset(rights)

    @action(detail=True, methods=["post"], url_path="post")
    @repeatable
    def post_row(self, request: Request, pk: int) -> Response:
        """Post a document; a posted one stays as it is."""

        def post(row: Any, version: int | None) -> Any:
            return services.post(row=row, actor=request.user, expected_version=version)

        return self.answer(self.written(request, pk, post))

    @action(detail=True, methods=["post"], url_path="unpost")
    @repeatable
    def unpost_row(self, request: Request, pk: int) -> Response:
        """Take back what a document posted."""

        def unpost(row: Any, version: int | None) -> Any:
            return services.unpost(
                row=row, actor=request.user, expected_version=version
            )

        return self.answer(self.written(request, pk, unpost))


class CreateFromViewSet(RowViewSet):
    """The documents of one kind, created from one of another."""

    model: ClassVar[type[Document]]
    source: ClassVar[type[Document]]

    @repeatable
    def create(self, request: Request, pk: int) -> Response:
        """Create an unposted copy; give in `overrides` what the copy does not fill, and
        what is to be otherwise.
        """
        values = values_of(request)
        overrides = values.pop(_OVERRIDES, values)
        if overrides is values:
            _refuse_misspelt(values)
        if overrides is not values and values:
            text, code = _("Put it inside overrides."), "unknown-property"
            raise Refusal([Problem(printable(name), text, code) for name in values])
        if not isinstance(overrides, dict):
            message = _("Send the properties as a JSON object.")
            raise Refusal([Problem("overrides", message)])
        row = services.create_from(
            source=existing(self.source, pk),
            target=self.model,
            overrides=overrides,
            actor=request.user,
        )
        return self.answer(row, status.HTTP_201_CREATED)


def _refuse_misspelt(values: Iterable[str]) -> None:
    """Refuse what looks like `overrides`; it would pass for a property of the copy."""
    hints = {name: did_you_mean(name, (_OVERRIDES,), sentence=True) for name in values}
    text = _('Unknown property "%(name)s".')
    wrong = [
        Problem(
            printable(name), text % {"name": printable(name)} + hint, "unknown-property"
        )
        for name, hint in hints.items()
        if hint
    ]
    if wrong:
        raise Refusal(wrong)
