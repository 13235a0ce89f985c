"""The step kinds: the key of each, and the keys it may have.

``dictionary`` is built in; other apps add theirs through the registry.
"""

from __future__ import annotations

import msgspec

from importer.package.step_policies import OnChange, OnUserModified


class StepKind(msgspec.Struct, frozen=True):
    """A step kind: its key, its optional keys and its default policies.

    ``also`` are further keys that may name its targets. A kind that ``refines`` another
    one names the source by its own key, and the target by the key of the other
    (OPEN-06).
    """

    key: str
    keys: tuple[str, ...]
    on_change: OnChange
    title: str
    on_user_modified: OnUserModified = OnUserModified.SKIP
    also: tuple[str, ...] = ()
    refines: str = ""

    @property
    def executes(self) -> bool:
        """Return whether its objects are executions, which a step may repeat."""
        return "execute" in self.keys


DICTIONARY = StepKind(
    key="dictionary",
    keys=(
        "match",
        "takeOver",
        "onChange",
        "onUserModified",
        "onDeleted",
        "onMissing",
        "maxDelete",
    ),
    on_change=OnChange.UPDATE,
    title="Objects of a catalog",
)
