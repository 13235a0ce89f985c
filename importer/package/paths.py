"""Write the JSON paths of messages: ``steps[0].items[1].lines[2].itemId`` (OPEN-39)."""

from __future__ import annotations

WHOLE = "$"
_LONGEST_KEY = 100


def step_path(step: int) -> str:
    """Return the path of a step."""
    return f"steps[{step}]"


def item_path(step: int, index: int) -> str:
    """Return the path of an object."""
    return f"steps[{step}].items[{index}]"


def is_in_steps(path: str) -> bool:
    """Tell whether a path leads to the steps of a package, or into them."""
    return path == "steps" or path.startswith("steps[")


def inside(base: str, path: str) -> str:
    """Continue a path by a path inside it."""
    if not path:
        return base
    if not base:
        return path
    return base + path if path.startswith("[") else f"{base}.{path}"


def of_keys(keys: list[str | int]) -> str:
    """Join keys and indexes as they were walked into one path; empty is ``$``."""
    path = ""
    for key in keys:
        part = f"[{key}]" if isinstance(key, int) else key[:_LONGEST_KEY]
        path = inside(path, part)
    return path or WHOLE
