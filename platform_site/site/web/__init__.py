"""The common handling of HTTP: HTTPS, headers, error pages and logs."""

from __future__ import annotations
