"""What every answer over HTTP has in common: HTTPS, headers, plain error pages."""

from __future__ import annotations
