"""How the site talks to its database: for how long a request waits for it, and what its
failures mean."""

from __future__ import annotations
