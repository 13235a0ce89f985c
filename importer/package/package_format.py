"""The format of packages in this installation: kinds, targets, schema and checks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from importer.package.check import ItemCheck
from importer.package.fields import TargetSpec
from importer.package.header_check import HeaderCheck
from importer.package.schema import package_schema
from importer.package.step_kinds import StepKind
from importer.package.step_objects import StepObjects, objects_of

_MOST_CHECKS = 1000


class PackageFormat:
    """The step kinds and targets of an installation, with their schema and checks."""

    def __init__(
        self,
        configuration: str,
        kinds: Iterable[StepKind],
        specs: Iterable[TargetSpec],
    ) -> None:
        self.configuration = configuration
        self.kinds = {kind.key: kind for kind in kinds}
        self.specs = {spec.name: spec for spec in specs}
        self._step_objects: dict[tuple[Any, ...], StepObjects] = {}
        self._checks: dict[tuple[StepObjects, tuple[str, ...]], ItemCheck] = {}

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of all packages."""
        kinds, specs = self.kinds.values(), self.specs.values()
        return package_schema(self.configuration, kinds, specs)

    @cached_property
    def header_check(self) -> HeaderCheck:
        """Return the check of header and step keys."""
        return HeaderCheck(self.schema)

    def step_objects(self, keys: dict[str, Any]) -> StepObjects | None:
        """Return the description of a step's objects, None if its keys are invalid.

        The kind follows from the target: a document named like a catalog is still a
        document (OPEN-05). Results are cached, since thousands of steps may share one.
        """
        named = tuple((kind, keys[kind]) for kind in self.kinds if kind in keys)
        if not all(isinstance(name, str) for _, name in named):
            return None
        asked = (*named, keys.get("submit") is True)
        objects = self._step_objects.get(asked) or self._objects_of(keys)
        if objects is not None:
            self._step_objects[asked] = objects
        return objects

    def _objects_of(self, keys: dict[str, Any]) -> StepObjects | None:
        given = [kind for kind in self.kinds.values() if kind.key in keys]
        naming = [kind for kind in given if not kind.refines]
        if len(naming) != 1 or len(given) > 2:
            return None
        by = naming[0].key
        spec = self._named(keys[by])
        kind = self.kinds.get(spec.kind) if spec else None
        if spec is None or kind is None or by not in (kind.key, *kind.also):
            return None
        submit, source = keys.get("submit") is True, ""
        for refining in (kind for kind in given if kind.refines):
            kind, source = refining, keys[refining.key]
            if kind.refines != by or source not in [s.target for s in spec.sources]:
                return None
        return objects_of(kind, spec, source, submit=submit)

    def _named(self, name: Any) -> TargetSpec | None:
        return self.specs.get(name) if isinstance(name, str) else None

    def item_check(self, objects: StepObjects, match: tuple[str, ...]) -> ItemCheck:
        """Return the cached check of a step's objects."""
        if (objects, match) not in self._checks:
            if len(self._checks) >= _MOST_CHECKS:
                self._checks.clear()
            self._checks[objects, match] = ItemCheck(objects.fields, match)
        return self._checks[objects, match]
