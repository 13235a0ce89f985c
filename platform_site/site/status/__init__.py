"""The status of the site: liveness, readiness and information about the
installation."""

from __future__ import annotations
