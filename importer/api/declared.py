"""The check of requests against the OpenAPI description of an operation: parameters and
bodies that it doesn't declare are refused, so that typing errors are noticed."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec
from django.http import QueryDict
from django.utils.translation import gettext as _
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import APIException, ErrorDetail, ValidationError
from rest_framework.mixins import ListModelMixin
from rest_framework.request import Request
from rest_framework.views import APIView

from importer.package.printable_text import printable
from importer.package.suggestions import closest, did_you_mean
from importer.strict import NOT_OURS

_WITH_BODY: Final = ("post", "put", "patch")


class UnknownParameter(APIException):
    """The refusal of an unknown or repeated parameter."""

    status_code = 400
    default_code = "unknown_parameter"

    def __init__(
        self, sentence: str, name: str, known: Iterable[str], like: str | None = None
    ) -> None:
        super().__init__(sentence)
        names = list(known)
        self.members: dict[str, Any] = {
            "parameter": name,
            "known": names,
            "didYouMean": like,
        }


class Declaration(msgspec.Struct, frozen=True):
    """The parameters of an operation, and whether it takes a body."""

    parameters: tuple[str, ...]
    body: bool


class DeclaredOnly(APIView):
    """The base of every endpoint, which refuses what its description doesn't declare.

    Callers without the right get that refusal first.
    """

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check the query, and the body of an operation that takes none."""
        super().initial(request, *args, **kwargs)
        handler = _handler(self, str(request.method).lower())
        if handler is None:
            return
        view_class: Any = type(self)
        declared = declaration_of(view_class, *handler)
        refuse_unknown(request.query_params, declared.parameters)
        if not declared.body:
            _refuse_body(request)


def valid(serializer: Any) -> dict[str, Any]:
    """Return the values of a serializer; ValidationError if any is wrong."""
    serializer.is_valid(raise_exception=True)
    values: dict[str, Any] = serializer.validated_data
    return values


def refuse_unknown(query: QueryDict, known: tuple[str, ...]) -> None:
    """Raise UnknownParameter for the first parameter that is unknown or repeated."""
    for name, values in query.lists():
        shown = printable(name)
        if name not in known:
            text = _('Unknown parameter "%(name)s".') % {"name": shown}
            text += did_you_mean(name, known, sentence=True)
            raise UnknownParameter(text, shown, known, closest(name, known))
        if len(values) > 1:
            text = _('The parameter "%(name)s" is given %(count)s times; give it once.')
            words = {"name": shown, "count": len(values)}
            raise UnknownParameter(text % words, shown, known)


def _refuse_body(request: Request) -> None:
    """Raise ValidationError for a body sent to an operation without one."""
    given: Any = request.data
    names = given if isinstance(given, Mapping) else ()
    unknown = [str(name) for name in names if name not in NOT_OURS]
    if unknown:
        text = _("This operation doesn't accept properties.")
        raise ValidationError(
            {printable(n): [ErrorDetail(text, "unknown-property")] for n in unknown}
        )
    if given and not isinstance(given, Mapping):
        raise ValidationError(_("This operation doesn't accept a body."))


def _handler(view: APIView, method: str) -> tuple[str, str] | None:
    """Return the name of a method's handler, and the method that describes it."""
    method = "get" if method == "head" else method
    actions: Mapping[str, str] | None = getattr(view, "action_map", None)
    name = method if actions is None else actions.get(method)
    if name is None or method == "options" or not hasattr(view, name):
        return None
    return name, method


@functools.cache
def declaration_of(view_class: type[APIView], name: str, method: str) -> Declaration:
    """Return the parameters and body that an operation declares."""
    view: Any = view_class()
    view.request, view.kwargs, view.args, view.format_kwarg = None, {}, (), None
    view.action = name
    view.swagger_fake_view = True
    schema: Any = _schema_of(getattr(view_class, name))()
    schema.view, schema.method, schema.path = view, method.upper(), ""
    names = [n for each in schema.get_override_parameters() for n in _named(each)]
    if name == "list" or (name == "get" and isinstance(view, ListModelMixin)):
        names += _of_lists(view)
    body = method in _WITH_BODY and schema.get_request_serializer() is not None
    return Declaration(tuple(dict.fromkeys(names)), body)


def _schema_of(handler: Any) -> type[Any]:
    """Return the schema class of a handler, whatever the project's default."""
    described = getattr(handler, "kwargs", {}).get("schema", AutoSchema)
    own = (c for c in described.__mro__ if c.__name__ == "ExtendedSchema")
    return type("Described", (*own, AutoSchema), {})


def _named(parameter: Any) -> Iterable[str]:
    if isinstance(parameter, OpenApiParameter):
        here = parameter.location == OpenApiParameter.QUERY
        return (parameter.name,) if here else ()
    serializer = parameter() if isinstance(parameter, type) else parameter
    return tuple(serializer.fields)


def _of_lists(view: Any) -> Iterable[str]:
    """Yield the parameters of a list's filters and pagination."""
    makers = [backend() for backend in getattr(view, "filter_backends", ())]
    if getattr(view, "paginator", None) is not None:
        makers.append(view.paginator)
    for maker in makers:
        for each in maker.get_schema_operation_parameters(view):
            yield str(each["name"])
