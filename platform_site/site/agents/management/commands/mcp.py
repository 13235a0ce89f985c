"""`manage.py mcp`: the Model Context Protocol on standard input and output."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError

from importer.commands import VisibleCommand
from importer.services import stop_runs
from platform_site.accounts.api_keys import recognised
from platform_site.site.agents.api_caller import ApiCaller
from platform_site.site.agents.extra import is_installed, missing

KEY_VARIABLE: Final = "PLATFORM_API_KEY"
_STOP_SECONDS: Final = 10


class Command(VisibleCommand):
    """The command that serves one agent until its input ends."""

    help = (
        "Speak the Model Context Protocol on standard input and output, for an agent on "
        f"this machine. The environment variable {KEY_VARIABLE} has the API key."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve the agent; raise CommandError without the extra or a valid key."""
        if not is_installed():
            raise CommandError(missing())
        key = os.environ.get(KEY_VARIABLE, "")
        if recognised(key) is None:
            reason = "is not valid" if key else "is missing"
            raise CommandError(
                f"The API key {reason}: set the environment variable {KEY_VARIABLE} to "
                "a key, which `manage.py create_api_key USER` prints."
            )
        protocol: Any = import_module("platform_site.site.agents.protocol")
        try:
            protocol.serve_stdio(ApiCaller(_environ(), key))
        except KeyboardInterrupt:
            pass
        finally:
            stop_runs(wait_seconds=_STOP_SECONDS)


def _environ() -> dict[str, Any]:
    """Return where calls inside come from: this machine, by the site's own name."""
    site = urlsplit(settings.PLATFORM_SITE_ADDRESS)
    allowed = (name.lstrip(".") for name in settings.ALLOWED_HOSTS if name != "*")
    host = site.netloc or next(allowed, "localhost")
    return {
        "HTTP_HOST": host,
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_NAME": host.partition(":")[0],
        "SERVER_PORT": "443",
        "wsgi.url_scheme": "https",
    }
