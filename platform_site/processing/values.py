"""The declaration of a processor's input and result, from which the page, the endpoint
with its description, and the input of jobs are derived."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Final

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from importer.targets import (
    BooleanField,
    ChoiceField,
    DateField,
    DateTimeField,
    DecimalField,
    IntegerField,
    ReferenceField,
    StrictSerializer,
    TextField,
    wire_name,
)
from platform_site.files.fields import FileField

__all__ = [
    "INPUTS",
    "BooleanField",
    "ChoiceField",
    "DateField",
    "DateTimeField",
    "DecimalField",
    "FileField",
    "IntegerField",
    "ReferenceField",
    "RunField",
    "TextField",
    "Values",
]

INPUTS: Final = (
    BooleanField,
    ChoiceField,
    DateField,
    DateTimeField,
    DecimalField,
    FileField,
    IntegerField,
    ReferenceField,
    TextField,
)


class RunField(serializers.UUIDField):
    """The run of an import in a result; pages show a link to its report."""


class Values(StrictSerializer):
    """Named values of a processor, in camelCase on the wire.

    The names of references and files get ``Id`` appended. A name reserved by Python or
    serializers is written with a trailing underscore (``from_``). `hidden` values are
    in API responses but not on the page. `beyond` names, for a list, the number of
    values that it leaves out. `changes` names the values of a result that tell what an
    execution has changed, by default all: if they are zero or empty, lists of executions
    show it together with others like it.
    """

    hidden: ClassVar[tuple[str, ...]] = ()
    changes: ClassVar[tuple[str, ...]] = ()
    beyond: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Set a unique name for the API description.

        ``Input`` of the processor ``Count`` is ``CountInput``.
        """
        super().__init_subclass__(**kwargs)
        name = cls.__qualname__.rpartition("<locals>.")[2].replace(".", "")
        extend_schema_serializer(component_name=name)(cls)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields under their wire names, in the declared order."""
        return {_wire(n, f): _bound(n, f) for n, f in super().get_fields().items()}


def _wire(name: str, field: Any) -> str:
    wire = wire_name(name.rstrip("_"), field)
    return f"{wire}Id" if isinstance(field, FileField) else wire


def _bound(name: str, field: Any) -> Any:
    if field.source is None and _wire(name, field) != name:
        field.source = name
    if field.label is None:
        field.label = name.rstrip("_").replace("_", " ").capitalize()
    return field
