"""The compiled check of an object and the published schema refuse the same objects, but
for the limits of values, which only the schema has: the services check them."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator
from jsonschema.validators import extend
from msgspec.structs import replace

from importer import registry
from importer.package.fields import (
    Applies,
    FieldKind,
    FieldSpec,
    TargetSpec,
    ValueLimits,
)
from importer.package.hashing import canonical
from importer.package.json_values import read_value
from importer.package.schema import package_schema
from importer.package.step_kinds import DICTIONARY
from tests.drill import effort
from tests.importer.laws.values import fitting, references, scalars, texts, wild

_types = Draft202012Validator.TYPE_CHECKER


def _is_number(checker, instance):
    return isinstance(instance, Decimal) or _types.is_type(instance, "number")


Validator = extend(
    Draft202012Validator, type_checker=_types.redefine("number", _is_number)
)
# No catalog has dates or lines, so a made-up target brings in the other kinds.
MADE_UP = TargetSpec(
    name="MadeUp",
    kind="dictionary",
    fields=(
        FieldSpec("sort", FieldKind.CHOICE, required=True, choices=("a", "b")),
        FieldSpec("day", FieldKind.DATE, applies=Applies("sort", "a", required=True)),
        FieldSpec("moment", FieldKind.DATE_TIME, applies=Applies("sort", "b")),
        FieldSpec("count", FieldKind.INTEGER, applies=Applies("flag", value=True)),
        FieldSpec("flag", FieldKind.BOOLEAN),
        FieldSpec("amount", FieldKind.DECIMAL),
        FieldSpec("other", FieldKind.REFERENCE, to="MadeUp"),
        FieldSpec(
            "lines",
            FieldKind.LINES,
            required=True,
            lines=(
                FieldSpec("item", FieldKind.REFERENCE, required=True, to="MadeUp"),
                FieldSpec("text", FieldKind.TEXT),
            ),
        ),
    ),
)


def catalogue_with(name):
    if name == MADE_UP.name:
        return registry.PackageFormat("Trade", [DICTIONARY], [MADE_UP])
    known = registry.package_format()
    specs = [replace(s, fields=unlimited(s.fields)) for s in known.specs.values()]
    return registry.PackageFormat("Trade", known.kinds.values(), specs)


def unlimited(fields):
    """Return properties without the limits of their values."""
    return tuple(
        replace(field, limits=ValueLimits(), lines=unlimited(field.lines))
        for field in fields
    )


def as_read(value):
    """Return a value as read from a file; None if JSON can't contain it."""
    try:
        return read_value(canonical(value).decode())
    except UnicodeEncodeError:
        return None


def whole(spec):
    """Draw objects that are mostly valid."""
    always, sometimes = {"$id": st.just("x1")}, {}
    for field in spec.fields:
        into = always if field.required else sometimes
        into[field.name] = st.one_of(fitting(field), fitting(field), st.none())
    return st.fixed_dictionaries(always, optional=sometimes)


@st.composite
def broken(draw, spec):
    """Draw objects that are valid except in one or two places."""
    item = draw(whole(spec))
    names = [*item, *(f.name for f in spec.fields), "id", "$type", "colour"]
    for _ in range(draw(st.integers(1, 2))):
        name = draw(st.sampled_from(names))
        if draw(st.booleans()):
            item.pop(name, None)
        else:
            item[name] = draw(wild)
    if "lines" in item and isinstance(item["lines"], list):
        line = st.dictionaries(
            st.sampled_from(["item", "text", "x", "$id"]), wild, max_size=3
        )
        item["lines"] = draw(st.lists(st.one_of(line, scalars), max_size=2))
    return item


def odd(spec):
    """Draw objects with valid keys and any values."""
    keys = st.one_of(st.sampled_from(["$id", *(f.name for f in spec.fields)]), texts)
    return st.dictionaries(keys, st.one_of(wild, references), max_size=8)


def item_validator(package_format, keys):
    """Return a validator for a single object in a step with these keys."""
    definitions = {"$defs": package_format.schema["$defs"]}
    validator = Validator({**definitions, "$ref": "#/$defs/step"})
    return lambda item: [
        e.message
        for e in validator.iter_errors({**keys, "items": [item]})
        if list(e.absolute_path)[:2] == ["items", 0]
    ]


def steps():
    """Return the keys of every form of step."""
    package_format = registry.package_format()
    for name, spec in package_format.specs.items():
        yield {spec.kind: name}
        if spec.submitted:
            yield {"dictionary": name, "submit": True}
            yield {"document": name, "submit": False}
        for source in spec.sources:
            yield {"createFrom": source.target, "document": name}
            yield {"createFrom": source.target, "document": name, "submit": True}


STEPS = [*steps(), {"dictionary": MADE_UP.name}]


@pytest.mark.parametrize(
    "keys", STEPS, ids=lambda keys: " ".join(map(str, keys.values()))
)
def test_the_check_finds_exactly_the_errors_of_the_schema(keys):
    package_format = catalogue_with(next(iter(keys.values())))
    objects = package_format.step_objects(keys)
    check, complain = (
        package_format.item_check(objects, ()),
        item_validator(package_format, keys),
    )
    verdicts = set()

    @effort(100)
    @given(item=st.one_of(whole(objects), broken(objects), odd(objects)))
    def judge(item):
        read = as_read(item)
        if read is None:
            return
        found = check(read, canonical(read)).problems
        complaints = complain(read)
        assert bool(found) == bool(complaints), (found, complaints)
        verdicts.add(bool(found))

    judge()
    assert verdicts == {True, False}


def test_the_published_schema_is_valid():
    """OPEN-58."""
    for package_format in (catalogue_with(MADE_UP.name), registry.package_format()):
        Draft202012Validator.check_schema(package_format.schema)


HEADER = {
    "format": "platform-import/1",
    "package": "a.b",
    "version": 1,
    "origin": "import",
    "configuration": "Trade",
    "steps": [],
}
STEP = {"dictionary": "Items", "items": [], "match": ["code"], "onChange": "skip"}
_KEYS = [*STEP, "onUserModified", "onDeleted", "submit", "document", "colour"]


@st.composite
def skeletons(draw):
    steps = []
    for _ in range(draw(st.integers(0, 2))):
        step = dict(STEP)
        for key in draw(st.lists(st.sampled_from(_KEYS), max_size=2)):
            if draw(st.booleans()):
                step.pop(key, None)
            else:
                good = ["Items", "Currencies", "items", "skip", "restore", ["code"], []]
                step[key] = draw(st.one_of(st.sampled_from(good), wild))
        steps.append(draw(st.sampled_from([step, step, step, 5, None])))
    package = {**HEADER, "steps": steps}
    for key in draw(st.lists(st.sampled_from([*HEADER, "$schema", "x"]), max_size=1)):
        if draw(st.booleans()):
            package.pop(key, None)
        else:
            package[key] = draw(wild)
    return package


def test_the_header_check_finds_exactly_the_errors_of_the_schema():
    package_format = registry.package_format()
    validator = Validator(package_format.schema)
    verdicts = set()

    @effort(100)
    @given(package=skeletons())
    def judge(package):
        read = as_read(package)
        if read is None:
            return
        found = package_format.header_check(read)
        assert bool(found) == (not validator.is_valid(read))
        assert all(d.message.startswith(d.path) for d in found)
        verdicts.add(bool(found))

    judge()
    assert verdicts == {True, False}


def test_the_schema_of_an_example_target_describes_its_lines():
    schema = package_schema("Trade", [DICTIONARY], [MADE_UP])
    lines = schema["$defs"]["item.MadeUp"]["properties"]["lines"]
    assert lines["items"]["required"] == ["item"]
