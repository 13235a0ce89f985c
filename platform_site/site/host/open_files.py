"""The limit of open files, of which each client needs one."""

from __future__ import annotations

from typing import Final

try:
    import resource
except ImportError:  # Windows has no such limit
    resource = None  # type: ignore[assignment]

_OPEN_FILES: Final = 65_536


def allow_many_connections() -> None:
    """Raise the limit of open files of this process as far as possible."""
    if resource is None:
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if most == resource.RLIM_INFINITY else min(most, _OPEN_FILES)
    if now != resource.RLIM_INFINITY and now < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
