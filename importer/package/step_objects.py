"""The description of a step's objects by the step's keys, used by check, schema,
resolve and write."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from importer.package.fields import (
    FieldKind,
    FieldSpec,
    SourceSpec,
    TargetSpec,
    ValueLimits,
)
from importer.package.step_kinds import StepKind

SOURCE = "$source"


class StepObjects(msgspec.Struct, frozen=True, eq=False):
    """The description of a step's objects; a package format has one of each.

    ``source`` is the target they are created from, if any; ``submit`` asks to submit
    rows as well.
    """

    kind: StepKind
    spec: TargetSpec
    source: str
    submit: bool
    fields: tuple[FieldSpec, ...]


def objects_of(
    kind: StepKind, spec: TargetSpec, source: str, *, submit: bool
) -> StepObjects:
    """Return the description of a step's objects; raise LookupError for an unknown
    source."""
    fields = spec.fields
    if source:
        fields = created_fields(spec, source_of(spec, source))
    if spec.submitted:
        fields = (*fields, submitted_field(spec, only=submit))
    return StepObjects(kind, spec, source, submit, fields)


def source_of(spec: TargetSpec, source: str) -> SourceSpec:
    """Return the description of a source; raise LookupError if there is none."""
    for known in spec.sources:
        if known.target == source:
            return known
    raise LookupError(source)


def created_fields(spec: TargetSpec, source: SourceSpec) -> tuple[FieldSpec, ...]:
    """Return the fields of objects whose copy already fills some of them."""
    named = FieldSpec(
        SOURCE,
        FieldKind.REFERENCE,
        required=True,
        to=source.target,
        description="The document that the object is created from.",
        # Null clears a property; without a source there would be no object.
        limits=ValueLimits(nullable=False),
    )
    others = (
        replace(field, required=field.required and field.name not in source.fills)
        for field in spec.fields
    )
    return (named, *others)


def submitted_field(spec: TargetSpec, *, only: bool | None = None) -> FieldSpec:
    """Return the property that repeats the step's ``submit`` (OPEN-11)."""
    return FieldSpec(
        spec.submitted,
        FieldKind.BOOLEAN,
        only=only,
        description="The value of `submit` in the step.",
        limits=ValueLimits(nullable=False),
    )
