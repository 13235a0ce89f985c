"""The choice of the settings module by command and environment, made by `manage.py` and
the WSGI entry point before Django is set up."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Final

from platform_site.settings.sources import DEFAULT_ENVIRONMENT, environment_name

MODULE_VARIABLE: Final = "DJANGO_SETTINGS_MODULE"
_DEVELOPERS_COMMANDS: Final = ("runserver", "test")


def choose(environ: MutableMapping[str, str], arguments: Sequence[str] = ()) -> None:
    """Set the settings module, and the environment's name if the command implies it.

    `runserver` and `test` are developer's commands and imply Development (OPEN-91); a
    given module or environment is kept.
    """
    command = arguments[1] if len(arguments) > 1 else ""
    implied = "Development" if command in _DEVELOPERS_COMMANDS else DEFAULT_ENVIRONMENT
    name = environment_name(environ, implied)
    if name != environment_name(environ):
        # The reloader of runserver starts a child process, which must use the same.
        environ["ASPNETCORE_ENVIRONMENT"] = name
    module = "development" if name == "Development" else "production"
    if command == "test":
        module = "test"
    if not environ.get(MODULE_VARIABLE):
        environ[MODULE_VARIABLE] = f"platform_site.settings.{module}"
