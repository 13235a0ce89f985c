"""The importer hook that makes the start of an import repeatable with a key."""

from __future__ import annotations

import functools

from importer import registry
from platform_site.idempotency.views import carried_out

# The run's identifier is derived from the key, so a repeated start finds the run.
registry.register_repeats(functools.partial(carried_out, resumable=True))
