"""The extra `mcp` of the product, which an installation may lack."""

from __future__ import annotations

from importlib.util import find_spec

from django.utils.translation import gettext as _


def is_installed() -> bool:
    """Return whether the Model Context Protocol can be spoken here."""
    return find_spec("mcp") is not None


def missing() -> str:
    """Return the sentence that the extra is missing."""
    return _(
        "This installation doesn't speak the Model Context Protocol: the extra “mcp” is "
        "missing. Ask the operator to install the Python package mcp."
    )
