"""The importer hook that makes the start of an import repeatable with a key."""

from __future__ import annotations

from typing import Any

from importer import registry


def _carried_out(*given: Any) -> Any:
    # Only requests need the views of the API, and commands import this module as well.
    from platform_site.idempotency.views import (  # noqa: PLC0415 - as said above
        carried_out,
    )

    # The run's identifier is derived from the key, so a repeated start finds the run.
    return carried_out(*given, resumable=True)


registry.register_repeats(_carried_out)
