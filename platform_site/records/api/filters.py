"""The query of lists of business rows: `search`, `ordering`, `deleted` and the
properties, validated as strictly as a body."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request

from importer import did_you_mean, printable
from importer.targets import ChoiceField, TextField, flatten, naming
from platform_site.records import wire
from platform_site.records.api.cursors import CURSOR
from platform_site.records.api.expansion import EXPAND, expandable
from platform_site.records.api.properties import (
    YES_OR_NO,
    orderings_of,
    properties_of,
)
from platform_site.records.errors import Refusal
from platform_site.records.models import Record

SEARCH: Final = "search"
ORDERING: Final = "ordering"
DELETED: Final = "deleted"
FORMAT: Final = "format"
LONGEST_SEARCH: Final = 200
JSON: Final = "json"
# A file has all rows, and the codes of references.
_PAGES: Final = ("page", "pageSize", CURSOR, EXPAND)
FORMATS: Final = [JSON, "csv", "xlsx"]


class RecordFilter(BaseFilterBackend):
    """The query of a list; ValidationError names every parameter that is wrong."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: Any
    ) -> QuerySet[Any]:
        """Return the matching rows, in a definite order."""
        query = request.query_params.dict()
        model: type[Record] = view.model
        errors: dict[str, list[Any]] = {}
        found = queryset.filter(is_deleted=is_deleted(query))
        for condition in _conditions(model, query, errors, request.user):
            found = found.filter(condition)
        order = _order(model, query.get(ORDERING), errors)
        if errors:
            raise ValidationError(errors)
        return found.order_by(*order)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """Return the OpenAPI parameters of a list."""
        model: type[Record] = view.model
        names = list(orderings_of(model))
        both = [f"{sign}{name}" for name in names for sign in ("", "-")]
        general = [
            _parameter(
                SEARCH,
                {"type": "string", "maxLength": LONGEST_SEARCH},
                "Only rows with this text in one of their texts.",
            ),
            _parameter(
                ORDERING,
                {"type": "array", "items": {"type": "string", "enum": both}},
                "Properties to order by; a minus in front turns the order round.",
            ),
            DELETED_PARAMETER,
            _parameter(
                FORMAT,
                {"type": "string", "enum": FORMATS, "default": JSON},
                "csv and xlsx give a file with the rows of all pages.",
            ),
        ]
        if references := list(expandable(model)):
            general.append(expand_parameter(references))
        known = properties_of(model).values()
        each = [_parameter(p.name, p.schema, p.help) for p in known]
        return [*general, *each]


class FilteredRows:
    """A target whose rows the filters of its list choose."""

    model: type[Record]

    def filtered(self, query: Mapping[str, str]) -> QuerySet[Any]:
        """Return the live rows that filters leave; raise Refusal for wrong ones."""
        names = (SEARCH, *properties_of(self.model))
        errors: dict[str, list[Any]] = {}
        for name in query:
            if name not in names:
                sentence = _('%(rows)s have no filter "%(name)s".')
                words = {"rows": self.model.catalog_name, "name": printable(name)}
                meant = did_you_mean(name, names, sentence=True)
                errors[name] = [sentence % words + meant]
        found = self.model.objects.live()
        for condition in _conditions(self.model, query, errors):
            found = found.filter(condition)
        if errors:
            raise Refusal(flatten(errors))
        return found


def format_of(query: Mapping[str, str]) -> str:
    """Return the requested format of a list: a file has no pages."""
    given = query.get(FORMAT, JSON)
    if given not in FORMATS:
        sentence = _("Enter one of %s.") % ", ".join(FORMATS)
        raise ValidationError({FORMAT: [sentence]})
    if given != JSON and (named := [name for name in _PAGES if name in query]):
        sentence = _(
            "A file has the rows of all pages and the codes of references; leave this "
            "parameter out."
        )
        raise ValidationError({name: [sentence] for name in named})
    return given


def is_deleted(query: Mapping[str, Any]) -> bool:
    """Return whether deleted rows are requested instead of live ones."""
    text = query.get(DELETED, "false")
    if text not in YES_OR_NO:
        raise ValidationError({DELETED: [_("Enter true or false.")]})
    return YES_OR_NO[text]


def _conditions(
    model: type[Record],
    query: Mapping[str, str],
    errors: dict[str, list[Any]],
    user: Any = None,
) -> list[Q]:
    found, known = [], properties_of(model)
    for name, text in query.items():
        if name in known:
            try:
                found.append(known[name].condition(text, user))
            except ValidationError as wrong:
                errors[name] = naming(wrong.detail, text)
    if SEARCH in query:
        try:
            found.append(_search(model, query[SEARCH]))
        except ValidationError as wrong:
            errors[SEARCH] = naming(wrong.detail, query[SEARCH])
    return found


def _search(model: type[Record], text: str) -> Q:
    # For its message about control characters.
    words = TextField(max_length=LONGEST_SEARCH, allow_blank=True).run_validation(text)
    found = Q()
    for field in wire.fields_of(model).values():
        if isinstance(field, TextField) and not isinstance(field, ChoiceField):
            found |= Q(**{f"{field.source}__icontains": words})
    return found


def _order(
    model: type[Record], text: str | None, errors: dict[str, list[Any]]
) -> list[str]:
    """Return columns to order by; the key comes last, so that no two rows are equal."""
    if text is None:
        return [*(str(name) for name in model._meta.ordering or ()), "id"]
    sources = orderings_of(model)
    columns = []
    for name in text.split(","):
        known = sources.get(name.removeprefix("-"))
        if known is None:
            message = _("Order by one or more of: %s.") % ", ".join(sources)
            errors[ORDERING] = [message]
            break
        columns.append(f"-{known}" if name.startswith("-") else known)
    return [*columns, "id"]


def _parameter(name: str, schema: dict[str, Any], text: str) -> dict[str, Any]:
    several = {"style": "form", "explode": False} if schema["type"] == "array" else {}
    return {
        "name": name,
        "in": "query",
        "required": False,
        "description": text,
        "schema": schema,
        **several,
    }


def expand_parameter(references: list[str]) -> dict[str, Any]:
    """Return the OpenAPI parameter with the references that can be expanded."""
    return _parameter(
        EXPAND,
        {"type": "array", "items": {"type": "string", "enum": references}},
        "References of which id, code and name are shown beside the id.",
    )


DELETED_PARAMETER: Final = _parameter(
    DELETED,
    {"type": "boolean"},
    "Only deleted rows, instead of those that are not.",
)
