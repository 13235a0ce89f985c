"""The start page of the admin site: notices, apps with their models, and the user's
last changes."""

from __future__ import annotations
