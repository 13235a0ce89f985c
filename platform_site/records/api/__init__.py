"""What every business row offers to other programs; the apps above hang their catalogs
and documents in with `record_paths`."""

from __future__ import annotations
