"""Hold what can be imported into this installation: kinds, targets, schema, checks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from importer.package.check import ItemCheck
from importer.package.fields import TargetSpec
from importer.package.kinds import StepKind
from importer.package.schema import package_schema
from importer.package.skeleton import SkeletonCheck


class Catalogue:
    """Describe every package this installation understands."""

    def __init__(
        self,
        configuration: str,
        kinds: Iterable[StepKind],
        specs: Iterable[TargetSpec],
    ) -> None:
        self.configuration = configuration
        self.kinds = {kind.key: kind for kind in kinds}
        self.specs = {spec.name: spec for spec in specs}
        self._checks: dict[tuple[str, tuple[str, ...]], ItemCheck] = {}

    @cached_property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of all packages."""
        kinds, specs = self.kinds.values(), self.specs.values()
        return package_schema(self.configuration, kinds, specs)

    @cached_property
    def skeleton_check(self) -> SkeletonCheck:
        """Return the check of header and step keys."""
        return SkeletonCheck(self.schema)

    def kind_of(self, keys: dict[str, Any]) -> tuple[StepKind, TargetSpec] | None:
        """Return kind and target of a step by its keys, None if it has not one."""
        named = [kind for kind in self.kinds.values() if kind.key in keys]
        if len(named) != 1:
            return None
        name = keys[named[0].key]
        spec = self.specs.get(name) if isinstance(name, str) else None
        return (named[0], spec) if spec and spec.kind == named[0].key else None

    def item_check(self, spec: TargetSpec, match: tuple[str, ...]) -> ItemCheck:
        """Return the compiled check of a step's objects, compiled once."""
        key = (spec.name, match)
        if key not in self._checks:
            self._checks[key] = ItemCheck(spec.fields, match)
        return self._checks[key]
