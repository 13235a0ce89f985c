"""How a processor says what it takes and what it gives: one declaration, from which the
page, the endpoint and its description, and the input of jobs are made."""

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
    """The run of an import in a result; pages show it as a link to its report."""


class Values(StrictSerializer):
    """Named values of a processor; on the wire their names are camelCase.

    A reference or file gets ``Id`` after its name. A name that Python or serializers
    keep for themselves is written with an underscore behind it (``from_``). `hidden` values are in the
    answers of the API, but not on the page. `beyond` names, for a list of values, the
    number of those it leaves out: the page says it below the list.
    """

    hidden: ClassVar[tuple[str, ...]] = ()
    beyond: ClassVar[Mapping[str, str]] = MappingProxyType({})

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the declaration for the description of the API, where names are few.

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
