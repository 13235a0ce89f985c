"""The OpenAPI descriptions of wire fields, found by drf-spectacular because the
documentation imports this module."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema

from platform_site.records.api.answers import with_expansions
from platform_site.records.row_lookup import has_code

_LARGEST_KEY: Final = 10**18 - 1
_CODED: Final = {
    "type": "object",
    "properties": {"$code": {"type": "string"}},
    "required": ["$code"],
    "additionalProperties": False,
    "example": {"$code": "pcs"},
}
_DECIMAL: Final = r"^\s*-?[0-9]{1,14}(\.[0-9]{1,4})?\s*$"


class _Field(OpenApiSerializerFieldExtension):
    """The description of a field, which differs between requests and responses."""

    def map_serializer_field(
        self, auto_schema: AutoSchema, direction: str
    ) -> dict[str, Any]:
        """Return the schema of the field."""
        if direction == "response":
            return self.given()
        return self.taken()

    def given(self) -> dict[str, Any]:
        """Return the schema of the field in responses."""
        return self.taken()

    def taken(self) -> dict[str, Any]:
        """Return the schema of the field in requests."""
        raise NotImplementedError(f"{type(self).__name__} describes nothing.")


class ReferenceDescription(_Field):
    """A key, which may also be text in requests, or a code instead."""

    target_class = "importer.targets.ReferenceField"

    def given(self) -> dict[str, Any]:
        """Return a whole number."""
        return {"type": "integer"}

    def taken(self) -> dict[str, Any]:
        """Return a whole number, a text of digits, or an object with a code."""
        number = {
            "type": "integer",
            "minimum": -_LARGEST_KEY,
            "maximum": _LARGEST_KEY,
        }
        text = {"type": "string", "pattern": "^[0-9]{1,18}$"}
        coded = [_CODED] if has_code(self.target.to) else []
        return {"anyOf": [number, text, *coded]}


class LinesDescription(OpenApiSerializerFieldExtension):
    """A list of lines, each with all its properties."""

    target_class = "importer.targets.LinesField"

    def map_serializer_field(
        self, auto_schema: AutoSchema, direction: str
    ) -> dict[str, Any]:
        """Return the schema of the lines."""
        line = with_expansions(self.target.line)
        found = auto_schema.resolve_serializer(line(), direction)  # type: ignore[arg-type]
        return {"type": "array", "items": found.ref, "minItems": 1}


class TextDescription(_Field):
    """A text; in requests also null if it may be empty."""

    target_class = "importer.targets.TextField"
    match_subclasses = True

    def given(self) -> dict[str, Any]:
        """Return a text."""
        return {"type": "string"}

    def taken(self) -> dict[str, Any]:
        """Return a text with its length."""
        schema: dict[str, Any] = {"type": "string"}
        if self.target.max_length is not None:
            # Values are trimmed before their length is checked.
            schema["maxLength"] = self.target.max_length
        if not self.target.allow_blank:
            schema["minLength"] = 1
        elif not self.target.read_only:
            schema["nullable"] = True
        return schema


class BooleanDescription(_Field):
    """A boolean; in requests also null if it is optional."""

    target_class = "importer.targets.BooleanField"

    def given(self) -> dict[str, Any]:
        """Return a boolean."""
        return {"type": "boolean"}

    def taken(self) -> dict[str, Any]:
        """Return a boolean, or null."""
        return {"type": "boolean", "nullable": not self.target.required}


class DecimalDescription(_Field):
    """An exact number: text in responses, in requests also a number."""

    target_class = "importer.targets.DecimalField"

    def given(self) -> dict[str, Any]:
        """Return a text."""
        return {"type": "string", "format": "decimal", "example": "12.5000"}

    def taken(self) -> dict[str, Any]:
        """Return a number or a text of digits."""
        return {"anyOf": [{"type": "number"}, {"type": "string", "pattern": _DECIMAL}]}


class DateTimeDescription(_Field):
    """A time; in requests also a day, meaning its midnight."""

    target_class = "importer.targets.DateTimeField"
    match_subclasses = True

    def given(self) -> dict[str, Any]:
        """Return a time."""
        return {"type": "string", "format": "date-time"}

    def taken(self) -> dict[str, Any]:
        """Return a time or a day."""
        day = "A day, whose midnight is meant."
        return {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {"type": "string", "format": "date", "description": day},
            ],
            "example": "2026-07-01T09:30:00Z",
        }


class BearerDescription(OpenApiAuthenticationExtension):
    """The token of a sign-in, as security scheme."""

    target_class = "platform_site.accounts.authentication.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return how the token is sent."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}


class ApiKeyDescription(OpenApiAuthenticationExtension):
    """An API key, as security scheme."""

    target_class = "platform_site.accounts.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        """Return how the key is sent."""
        return {"type": "apiKey", "in": "header", "name": "X-Api-Key"}
