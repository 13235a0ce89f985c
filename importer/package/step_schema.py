"""The JSON Schema of steps: a branch for each kind and target."""

from __future__ import annotations

from importer.package.fields import SourceSpec, TargetSpec
from importer.package.property_schema import Schema
from importer.package.step_kinds import StepKind
from importer.package.step_policies import (
    MAX_DELETE,
    Execute,
    OnChange,
    OnDeleted,
    OnMissing,
    OnUserModified,
)
from importer.package.wire_values import IDENTIFIER

MAX_PACKAGE = 100
MOST_NAMES = 20
# A number of rows, or a share of them in per cent.
_MOST_ROWS = 2147483647
_PER_CENT = r"^(100|[1-9]?[0-9])%$(?!\n)"
_DEPENDENT = {"takeOver": "match", "maxDelete": "onMissing"}
_IS_TRUE: Schema = {"const": True}


class Steps:
    """The schema of the steps: a branch for each kind and target, or source and target."""

    def __init__(self, kinds: list[StepKind], targets: list[TargetSpec]) -> None:
        self._naming = {kind.key: kind for kind in kinds if not kind.refines}
        self._refining = [kind for kind in kinds if kind.refines in self._naming]
        self._targets = [t for t in targets if t.kind in self._naming]

    def schema(self) -> Schema:
        """Return the schema of a step: its kind, and the branch that applies."""
        names = {
            key: [
                target.name
                for target in self._targets
                if key in (target.kind, *self._naming[target.kind].also)
            ]
            for key in self._naming
        }
        schema: Schema = {
            "type": "object",
            "required": ["items"],
            "oneOf": [{"required": [key]} for key in self._naming],
            "properties": {
                key: {
                    "enum": listed,
                    "title": self._naming[key].title,
                    "description": "What the objects of this step are.",
                }
                for key, listed in names.items()
            },
            "allOf": [self._plainly(key, n) for key, ns in names.items() for n in ns],
        }
        for kind in self._refining:
            pairs = [(s.target, t.name) for t, s in self._created(kind)]
            schema["properties"][kind.key] = {
                "enum": list(dict.fromkeys(source for source, _ in pairs)),
                "title": kind.title,
                "description": "What the objects of this step are created from.",
            }
            schema.setdefault("dependentRequired", {})[kind.key] = [kind.refines]
            schema["allOf"] += [self._creating(kind, pairs)]
        return schema

    def _created(self, kind: StepKind) -> list[tuple[TargetSpec, SourceSpec]]:
        known = {target.name for target in self._targets}
        return [
            (target, source)
            for target in self._targets
            if target.kind == kind.refines
            for source in target.sources
            if source.target in known
        ]

    def _plainly(self, key: str, name: str) -> Schema:
        kind = next(t.kind for t in self._targets if t.name == name)
        condition: Schema = {"required": [key], "properties": {key: {"const": name}}}
        refined = [k.key for k in self._refining if k.refines == key]
        if refined:
            condition["not"] = {"anyOf": [{"required": [each]} for each in refined]}
        return {"if": condition, "then": {"$ref": f"#/$defs/{kind}.{name}"}}

    def _creating(self, kind: StepKind, pairs: list[tuple[str, str]]) -> Schema:
        """Return the schema for each source: its targets and their branches."""
        by_source: dict[str, list[str]] = {}
        for source, name in pairs:
            by_source.setdefault(source, []).append(name)
        return {
            "allOf": [
                {
                    "if": _says(**{kind.key: source}),
                    "then": {"properties": {kind.refines: {"enum": names}}},
                }
                for source, names in by_source.items()
            ]
            + [
                {
                    "if": _says(**{kind.key: source, kind.refines: name}),
                    "then": {"$ref": f"#/$defs/{kind.key}.{source}.{name}"},
                }
                for source, name in pairs
            ]
        }

    def branches(self) -> Schema:
        """Return the definitions of all branches."""
        plain = {
            f"{t.kind}.{t.name}": _branch(self._naming[t.kind], t, f"item.{t.name}")
            for t in self._targets
        }
        created = {
            f"{kind.key}.{s.target}.{t.name}": _branch(
                kind, t, f"item.{t.name}.from.{s.target}"
            )
            for kind in self._refining
            for t, s in self._created(kind)
        }
        return {**plain, **created}


def _says(**keys: str) -> Schema:
    return {
        "required": list(keys),
        "properties": {key: {"const": value} for key, value in keys.items()},
    }


def _branch(kind: StepKind, target: TargetSpec, item: str) -> Schema:
    naming = (kind.key, *kind.also, kind.refines)
    branch: Schema = {
        "title": target.title or target.name,
        "additionalProperties": False,
        "properties": {
            **{key: True for key in naming if key},
            "items": {
                "type": "array",
                "items": {"$ref": f"#/$defs/{item}"},
                "description": "The objects, each after those that it refers to.",
            },
            **_policies(kind, target),
        },
    }
    needed = {key: [on] for key, on in _DEPENDENT.items() if key in kind.keys}
    if needed:
        branch["dependentRequired"] = needed
    if "match" in kind.keys:
        optional = [f.name for f in target.fields if not (f.required or f.lines)]
        if optional:
            branch["allOf"] = [_matched(name) for name in optional]
    if kind.executes:
        # Executing in every run contradicts skipping changed objects.
        branch["if"] = _says(execute=Execute.ALWAYS)
        branch["then"] = {"properties": {"onChange": {"const": OnChange.UPDATE}}}
    if target.submitted:
        branch["if"] = {"required": ["submit"], "properties": {"submit": _IS_TRUE}}
        branch["then"] = _repeated(target, submit=True)
        branch["else"] = _repeated(target, submit=False)
    return branch


def _repeated(target: TargetSpec, *, submit: bool) -> Schema:
    """Return the schema of properties that may only repeat the step's ``submit``."""
    said: Schema = {"properties": {target.submitted: {"const": submit}}}
    return {"properties": {"items": {"items": said}}}


def identifier(description: str, longest: int) -> Schema:
    """Return the schema of a name without control characters or a leading ``$``."""
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": longest,
        "pattern": IDENTIFIER,
        "description": description,
    }


def package_names(description: str) -> Schema:
    """Return the schema of a list of package names."""
    return {
        "type": "array",
        "items": identifier("The name of a package.", MAX_PACKAGE),
        "maxItems": MOST_NAMES,
        "description": description,
    }


def _matched(name: str) -> Schema:
    """Return the schema of objects, which need the properties that ``match`` names."""
    named: Schema = {"type": "array", "contains": {"const": name}}
    needed: Schema = {"items": {"items": {"required": [name]}}}
    return {
        "if": {"required": ["match"], "properties": {"match": named}},
        "then": {"properties": needed},
    }


def _policies(kind: StepKind, target: TargetSpec) -> Schema:
    policies: Schema = {
        "match": {
            "type": "array",
            "items": {"enum": [f.name for f in target.fields if not f.lines]},
            "description": "Properties by which an object without a row of its own "
            "adopts a row that has equal values and no mark.",
        },
        "takeOver": package_names(
            'Packages whose rows `match` may adopt too; "*" is every package.'
        ),
        "submit": {
            "type": "boolean",
            "default": False,
            "description": "Post the documents, as a user would.",
        },
        "onChange": {
            "enum": list(OnChange),
            "default": kind.on_change,
            "description": "What happens to the row of an object that has changed in "
            "the package.",
        },
        "onUserModified": {
            "enum": [
                each
                for each in OnUserModified
                if target.mergeable or each is not OnUserModified.MERGE
            ],
            "default": "skip",
            "description": "What happens to a row that a user has edited since its "
            "import.",
        },
        "onDeleted": {
            "enum": list(OnDeleted),
            "default": "skip",
            "description": "What happens to a row that a user has deleted.",
        },
        "onMissing": {
            "enum": [
                each
                for each in OnMissing
                if target.deletable or each is not OnMissing.DELETE
            ],
            "default": "keep",
            "description": "What happens to rows of this package whose objects the "
            "file no longer has. It applies to all steps of the same catalog.",
        },
        "maxDelete": {
            "type": ["integer", "string"],
            "minimum": 0,
            "maximum": _MOST_ROWS,
            "pattern": _PER_CENT,
            "default": MAX_DELETE,
            "description": "How many rows `onMissing` may delete in one run: a number, "
            'or a share of the rows of this package in the catalog, such as "5%". If '
            "there are more, none is deleted.",
        },
        "execute": {
            "enum": list(Execute),
            "default": "once",
            "description": "Execute each object once, or in every run.",
        },
    }
    return {key: policies[key] for key in kind.keys}
