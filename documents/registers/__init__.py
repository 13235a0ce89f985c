"""The registers: what posted documents have done to stock and to the books."""

from __future__ import annotations
