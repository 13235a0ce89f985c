"""The published folder, which is copied to a server: code, libraries, static files, a
launcher and checksums. This package isn't part of it."""

from __future__ import annotations
