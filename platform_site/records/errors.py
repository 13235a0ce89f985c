"""What a service refuses, as one family that API, form and report can tell apart."""

from __future__ import annotations

from importer.package.shapes import LimitReached, NotAllowed, Problem, Refusal
from importer.pipeline.ports import Stale

__all__ = [
    "InUse",
    "LimitReached",
    "NotAllowed",
    "Problem",
    "Refusal",
    "Stale",
    "WriteRefused",
]


class InUse(Refusal):
    """Refuse to delete a row others refer to, naming up to five of them."""


class WriteRefused(TypeError):
    """Refuse a write that goes round the services (OPEN-16)."""
