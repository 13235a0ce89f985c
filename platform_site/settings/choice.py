"""The choice of the settings module by command line and environment name, which
`manage.py` and the WSGI entry point make before Django is set up."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Final

from platform_site.settings.sources import DEFAULT_ENVIRONMENT, environment_name

MODULE_VARIABLE: Final = "DJANGO_SETTINGS_MODULE"
_DEVELOPERS_COMMANDS: Final = ("runserver", "test")


def choose(environ: MutableMapping[str, str], arguments: Sequence[str] = ()) -> None:
    """Set the settings module, and the environment's name where it is only implied.

    `runserver` and `test` are a developer's commands and imply Development (OPEN-91);
    a module or an environment that was given stays.
    """
    command = arguments[1] if len(arguments) > 1 else ""
    implied = "Development" if command in _DEVELOPERS_COMMANDS else DEFAULT_ENVIRONMENT
    name = environment_name(environ, implied)
    if name != environment_name(environ):
        # The reloader of runserver starts a child process, which must agree.
        environ["ASPNETCORE_ENVIRONMENT"] = name
    module = "development" if name == "Development" else "production"
    if command == "test":
        module = "test"
    if not environ.get(MODULE_VARIABLE):
        environ[MODULE_VARIABLE] = f"platform_site.settings.{module}"
