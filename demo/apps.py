"""The demo app, which stands last: it is a client of everything else."""

from __future__ import annotations

from django.apps import AppConfig


class DemoConfig(AppConfig):
    """The demo company."""

    name = "demo"
