"""The API views of documents: besides the operations of every row, posting, unposting
and creating one document from another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Final

from django.utils.translation import gettext as _
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from documents import services
from documents.models import Document
from importer import did_you_mean, printable
from platform_site.idempotency.views import repeatable
from platform_site.records.api.existing import existing
from platform_site.records.api.views import (
    RecordViewSet,
    RowViewSet,
    values_of,
)
from platform_site.records.errors import Problem, Refusal

_OVERRIDES: Final = "overrides"


class DocumentViewSet(RecordViewSet):
    """The operations on documents of one kind."""

    rights: ClassVar[dict[str, str]] = {"post_row": "post", "unpost_row": "unpost"}
    # Their response is the document.
    shown: ClassVar[frozenset[str]] = frozenset(rights)

    @action(detail=True, methods=["post"], url_path="post")
    @repeatable
    def post_row(self, request: Request, pk: int) -> Response:
        """Post a document. If it is posted already, nothing changes."""

        def post(row: Any, version: int | None) -> Any:
            return services.post(row=row, actor=request.user, expected_version=version)

        return self.answer(self.written(request, pk, post))

    @action(detail=True, methods=["post"], url_path="unpost")
    @repeatable
    def unpost_row(self, request: Request, pk: int) -> Response:
        """Unpost a document: its register entries are removed."""

        def unpost(row: Any, version: int | None) -> Any:
            return services.unpost(
                row=row, actor=request.user, expected_version=version
            )

        return self.answer(self.written(request, pk, unpost))


class CreateFromViewSet(RowViewSet):
    """The operation that creates documents of one kind from those of another."""

    model: ClassVar[type[Document]]
    source: ClassVar[type[Document]]

    @repeatable
    def create(self, request: Request, pk: int) -> Response:
        """Create an unposted copy. Put into `overrides` the properties that the copy
        does not fill, and those that should differ."""
        values = values_of(request)
        overrides = values.pop(_OVERRIDES, values)
        if overrides is values:
            _refuse_misspelt(values)
        if overrides is not values and values:
            text, code = _("Send it in overrides."), "unknown-property"
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
        return self.created(row)


def _refuse_misspelt(values: Iterable[str]) -> None:
    """Refuse a misspelled `overrides`, which would otherwise count as a property."""
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
