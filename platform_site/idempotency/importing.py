"""The hook by which the start of an import can be repeated with the same key."""

from __future__ import annotations

import functools

from importer import registry
from platform_site.idempotency.views import carried_out

# A run has an identifier of its key: starting it again finds the one that began.
registry.register_repeats(functools.partial(carried_out, resumable=True))
