"""What the objects of a step may be, by the step's keys: the one answer for check, schema,
resolve and write."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from importer.package.fields import FieldKind, FieldSpec, SourceSpec, TargetSpec
from importer.package.step_kinds import StepKind

SOURCE = "$source"


class StepObjects(msgspec.Struct, frozen=True, eq=False):
    """What a step says about its objects; a package format has each of these once.

    ``source`` is the target they are created from, if any; ``submit`` asks for rows
    that are more than saved.
    """

    kind: StepKind
    spec: TargetSpec
    source: str
    submit: bool
    fields: tuple[FieldSpec, ...]


def objects_of(
    kind: StepKind, spec: TargetSpec, source: str, *, submit: bool
) -> StepObjects:
    """Return what a step says about its objects; raise LookupError for an unknown
    source."""
    fields = spec.fields
    if source:
        fields = created_fields(spec, source_of(spec, source))
    if spec.submitted:
        fields = (*fields, submitted_field(spec, only=submit))
    return StepObjects(kind, spec, source, submit, fields)


def source_of(spec: TargetSpec, source: str) -> SourceSpec:
    """Return how a target is created from another; raise LookupError if it cannot
    be."""
    for known in spec.sources:
        if known.target == source:
            return known
    raise LookupError(source)


def created_fields(spec: TargetSpec, source: SourceSpec) -> tuple[FieldSpec, ...]:
    """Return what may be given where a copy fills some properties already."""
    named = FieldSpec(
        SOURCE,
        FieldKind.REFERENCE,
        required=True,
        to=source.target,
        description="What the object is created from",
    )
    others = (
        replace(field, required=field.required and field.name not in source.fills)
        for field in spec.fields
    )
    return (named, *others)


def submitted_field(spec: TargetSpec, *, only: bool | None = None) -> FieldSpec:
    """Return the property that repeats what the step says by ``submit`` (OPEN-11)."""
    return FieldSpec(
        spec.submitted,
        FieldKind.BOOLEAN,
        only=only,
        description="As the step says by submit",
    )
