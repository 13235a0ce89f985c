"""What the registers say, as reports that other programs and pages read."""

from __future__ import annotations
