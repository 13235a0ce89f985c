"""Several servers on one PostgreSQL database (`Platform:Nodes`): what they do together
goes through a task queue. Nothing of it is loaded in an installation with one server."""

from __future__ import annotations
