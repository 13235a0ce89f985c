"""No tables: Django sends its migration signals only to apps with a models module, and
the guard before migrations (`host.before_migrations`) hears them as the site's."""

from __future__ import annotations
