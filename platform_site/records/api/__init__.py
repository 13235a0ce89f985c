"""The API of business rows; apps add their models with `record_paths`."""

from __future__ import annotations
