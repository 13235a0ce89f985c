"""The pages of lists of rows: with numbers and a count, or one after the other with a
cursor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings

from platform_site.records.api.cursors import (
    CURSOR,
    cursor_after,
    identity,
    rows_after,
)
from platform_site.records.api.expansion import EXPAND

_Pages: Any = api_settings.DEFAULT_PAGINATION_CLASS
_HELP: Final = (
    "Pages without a count, of which none repeats or skips a row that was there all the "
    "time: empty for the first page, then `next` of the page before."
)
_NEXT: Final = {
    "type": "string",
    "nullable": True,
    "description": "The address of the next page; with `cursor`, the cursor of the next "
    "page. Null at the end.",
    "example": "http://localhost:5000/api/v1/Items?page=3",
}


class RowPages(_Pages):  # type: ignore[misc]
    """The pages of a list, also those with a cursor."""

    _next: str | None = None
    _has_cursor = False

    def paginate_queryset(
        self, queryset: QuerySet[Any], request: Request, view: Any = None
    ) -> list[Any] | None:
        """Return the rows of the requested page."""
        query = request.query_params.dict()
        cursor = query.pop(CURSOR, None)
        if cursor is None:
            page: list[Any] | None = super().paginate_queryset(queryset, request, view)
            return page
        self._has_cursor = True
        if self.page_query_param in query:
            sentence = _("With a cursor, pages have no numbers; leave this out.")
            raise ValidationError({self.page_query_param: [sentence]})
        return self._rows_after(queryset, cursor, self.get_page_size(request), query)

    def _rows_after(
        self, rows: QuerySet[Any], cursor: str, size: int, query: Mapping[str, str]
    ) -> list[Any]:
        free = (self.page_size_query_param, EXPAND)
        given = {name: text for name, text in query.items() if name not in free}
        about = identity(rows.model, given)
        left = rows_after(rows, cursor, about) if cursor else rows
        # One more shows whether there is a next page.
        found = list(left[: size + 1])
        if len(found) > size:
            del found[size:]
            self._next = cursor_after(found[-1], rows, about)
        return found

    def get_paginated_response(self, data: Any) -> Response:
        """Return the page with what leads to the next one."""
        if self._has_cursor:
            return Response({"next": self._next, "results": data})
        answer: Response = super().get_paginated_response(data)
        return answer

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the OpenAPI parameters."""
        cursor = {
            "name": CURSOR,
            "in": "query",
            "required": False,
            "allowEmptyValue": True,
            "description": _HELP,
            "schema": {"type": "string"},
        }
        return [*super().get_schema_operation_parameters(view), cursor]

    def get_paginated_response_schema(self, schema: Any) -> dict[str, Any]:
        """Return the OpenAPI schema of a page; `count` and `previous` are left out with
        a cursor."""
        found: dict[str, Any] = super().get_paginated_response_schema(schema)
        found["required"] = ["next", "results"]
        found["properties"]["next"] = _NEXT
        return found
