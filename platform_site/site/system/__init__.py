"""The system page: what administrators need to know of the installation."""

from __future__ import annotations
