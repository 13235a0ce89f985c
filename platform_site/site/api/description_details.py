"""The finish of the OpenAPI description: nulls as OpenAPI 3.1 writes them, headers of
responses, the texts of tags, and components that are used."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from django.apps import apps

from platform_site.records.models import Record
from platform_site.site.api.answer_schemas import schema_names
from platform_site.site.api.problems import AGAIN_SECONDS, RETRY_LATER
from platform_site.site.api.request_examples import REQUESTS

METHODS: Final = ("get", "post", "put", "patch", "delete")
_JSON: Final = "application/json"
_CODE: Final = re.compile(r"`([\w-]+)`:")
_NULL: Final = {"type": "null"}
_EMPTY: Final = {"type": "string", "maxLength": 0}
# The words of Python in the paths of the site, and those of the wire.
_SPELLED: Final = {"run_id": "runId", "delivery_id": "deliveryId", "key": "id"}
_HEADERS: Final = {
    "Retry-After": {
        "description": "After how many seconds the request can be sent again.",
        "schema": {"type": "integer", "minimum": 0, "example": AGAIN_SECONDS},
    },
    "WWW-Authenticate": {
        "description": "How to authenticate.",
        "schema": {"type": "string"},
    },
    "Idempotent-Replayed": {
        "description": "`true` if this is the repeated response to the same request.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    "Content-Disposition": {
        "description": "The name of the file.",
        "schema": {"type": "string"},
    },
    "RunLocation": {
        "description": "The path of the run or the execution.",
        "schema": {"type": "string"},
    },
}
_FILES: Final = (
    "text/csv",
    "application/octet-stream",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
)
_TAGS: Final = {
    "About": "The API and the installation.",
    "Account": "The account of the caller.",
    "ApiKeys": "Keys with which programs sign in, with their scopes.",
    "Auth": "Signing in and out.",
    "Changes": "Who changed which row when, and the feed to follow changes.",
    "Executions": "Executions that were requested with `Prefer: respond-async`.",
    "Files": "Files for data processors.",
    "Import": "Packages and tables: start, follow, decide about and undo runs.",
    "JobExecutions": "The executions of jobs, with their results.",
    "Jobs": "What is executed by a schedule.",
    "LedgerEntries": "The ledger: the entries that posted documents have written.",
    "Processors": "Data processors: their inputs, and their execution.",
    "Reports": "Balances of the registers at a point in time.",
    "Roles": "The roles of users, with their rights.",
    "StockMovements": "The stock: the movements that posted documents have written.",
    "Users": "The users of the installation.",
    "Webhooks": "Addresses that are told what happens, and what was delivered to them.",
}


def keep_null_choices(result: Any, **kwargs: Any) -> Any:
    """Mark the choices that null is one of, for drf-spectacular, which loses it when it
    gives choices a name."""
    for schema in result["components"]["schemas"].values():
        for one in schema.get("properties", {}).values():
            if None in one.get("enum", ()):
                one["nullable"] = True
    return result


def finish(result: Any, **kwargs: Any) -> Any:
    """Return the finished description, for drf-spectacular."""
    result = _with_nulls(result)
    result["paths"] = dict(_spelled(result["paths"]))
    for _path, operation in operations(result):
        _add_headers(operation)
        _add_examples(operation)
    result["components"]["headers"] = _HEADERS
    result["tags"] = [*_described_tags(result)]
    _drop_unused(result)
    return result


def operations(result: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path and the description of each operation."""
    for path, methods in result["paths"].items():
        for method, operation in methods.items():
            if method in METHODS:
                yield path, operation


def _with_nulls(part: Any) -> Any:
    """Return a part in which `null` is a type, instead of the former `nullable`."""
    if isinstance(part, list):
        return [_with_nulls(each) for each in part]
    if not isinstance(part, dict):
        return part
    part = {name: _with_nulls(value) for name, value in part.items()}
    if {} in part.get("oneOf", ()) and "type" not in part:
        # Any value, which null is as well.
        del part["oneOf"]
    if _EMPTY in part.get("oneOf", ()):
        # Programs that don't judge formats find an empty text in both choices.
        part["anyOf"] = part.pop("oneOf")
    if isinstance(part.get("nullable"), bool) and part.pop("nullable"):
        return _or_null(part)
    return part


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    match schema:
        case {"type": str(kind)}:
            schema["type"] = [kind, "null"]
        case {"anyOf": choices}:
            schema["anyOf"] = [*choices, _NULL]
        case {"oneOf": choices}:
            schema["oneOf"] = [*choices, _NULL]
        case {"allOf": parts}:
            schema["anyOf"] = [*parts, _NULL] if len(parts) == 1 else [{"allOf": parts}]
            del schema["allOf"]
    return schema


def _spelled(paths: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, methods in paths.items():
        for operation in methods.values():
            for each in operation.get("parameters", ()):
                if each["in"] == "path":
                    each["name"] = _SPELLED.get(each["name"], each["name"])
        yield re.sub(r"(?<={)\w+", lambda m: _SPELLED.get(m[0], m[0]), path), methods


def _add_headers(operation: dict[str, Any]) -> None:
    names = {each["name"] for each in operation.get("parameters", ())}
    for status, answer in operation["responses"].items():
        headers = answer.setdefault("headers", {})
        for name, component in _headers_of(int(status), answer, names):
            headers[name] = {"$ref": f"#/components/headers/{component}"}
        if not headers:
            del answer["headers"]


def _headers_of(
    status: int, answer: dict[str, Any], names: set[str]
) -> Iterator[tuple[str, str]]:
    """Yield the names of headers and their components."""
    codes = {*re.findall(_CODE, str(answer["description"]))}
    if status >= 400 and codes & {*RETRY_LATER}:
        yield "Retry-After", "Retry-After"
    if status == 401:
        yield "WWW-Authenticate", "WWW-Authenticate"
    if status < 300 and "Idempotency-Key" in names:
        yield "Idempotent-Replayed", "Idempotent-Replayed"
    if any(kind in _FILES for kind in answer.get("content", ())):
        yield "Content-Disposition", "Content-Disposition"
    if status == 202:
        yield "Location", "RunLocation"


def _add_examples(operation: dict[str, Any]) -> None:
    body = operation.get("requestBody", {}).get("content", {}).get(_JSON)
    value = REQUESTS.get(operation["operationId"])
    if body is not None and value is not None:
        body["examples"] = {"Usual": {"value": value}}


def _described_tags(result: Any) -> Iterator[dict[str, str]]:
    used = {tag for _path, each in operations(result) for tag in each["tags"]}
    rows = {
        model.catalog_name: f"Rows: {model._meta.verbose_name_plural}."
        for model in apps.get_models()
        if issubclass(model, Record)
    }
    texts = {**rows, **_TAGS}
    for tag in sorted(used):
        yield {"name": tag, "description": texts.get(tag, tag)}


def _drop_unused(result: Any) -> None:
    """Remove the schemas that nothing refers to, until each is used."""
    schemas = result["components"]["schemas"]
    while unused := schemas.keys() - {*schema_names(result)}:
        for name in unused:
            del schemas[name]
