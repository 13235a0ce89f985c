"""The pagination of lists: ``{count, next, previous, results}`` with ``page`` and
``pageSize``."""

from __future__ import annotations

import re
from typing import Any, Final

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request

from platform_site.database.paging import CountingPaginator

LARGEST_PAGE: Final = 1000
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")


class Pages(PageNumberPagination):
    """A pagination that refuses invalid page numbers and sizes."""

    django_paginator_class = CountingPaginator
    page_size_query_param = "pageSize"
    page_size_query_description = f"How many rows a page has, at most {LARGEST_PAGE}."
    max_page_size = LARGEST_PAGE
    last_page_strings = ()

    def get_page_size(self, request: Request) -> int:
        """Return the size; 400 for an invalid one."""
        text = request.query_params.get(self.page_size_query_param)
        if text is None:
            return int(self.page_size or LARGEST_PAGE)
        if not _NUMBER.fullmatch(text) or int(text) > LARGEST_PAGE:
            message = _("Enter a whole number from 1 to %d.") % LARGEST_PAGE
            raise ValidationError({self.page_size_query_param: [message]})
        return int(text)

    def get_page_number(self, request: Request, paginator: Any) -> Any:
        """Return the number; 400 for an invalid one, and later 404 for one too high."""
        text = request.query_params.get(self.page_query_param, "1")
        if not _NUMBER.fullmatch(text):
            message = _("Enter a whole number of at least 1.")
            raise ValidationError({self.page_query_param: [message]})
        return int(text)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the OpenAPI parameters."""
        limits = {
            self.page_query_param: {"minimum": 1, "maximum": 999_999_999},
            self.page_size_query_param: {"minimum": 1, "maximum": LARGEST_PAGE},
        }
        parameters = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            parameter["schema"].update(limits.get(str(parameter["name"]), {}))
        return parameters
