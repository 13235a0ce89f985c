"""What processes of the tests inherit: what any program needs to run, and no setting, so
that whoever tests beside a real installation never touches it."""

from __future__ import annotations

import os

_NEEDED = {
    "COMSPEC",
    "HOME",
    "LANG",
    "LANGUAGE",
    "PATH",
    "PATHEXT",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "USER",
    "USERPROFILE",
    "VIRTUAL_ENV",
    "WINDIR",
}
# Which database the tests are to use: one of their own is made on it.
_DATABASE = ("provider", "connectionstrings__")


def inherited():
    """Return what every process gets."""
    return {
        name: text
        for name, text in os.environ.items()
        if name.upper() in _NEEDED or name.upper().startswith("LC_")
    }


def inherited_by_tests():
    """Return what a process gets that works on the database of the tests."""
    database = {
        name: text
        for name, text in os.environ.items()
        if name.casefold().startswith(_DATABASE)
    }
    return {**inherited(), **database}


def in_ci():
    """Return whether what is missing here is a failure and no reason to skip."""
    return os.environ.get("CI", "").casefold() == "true"


def asked(name, default=""):
    """Return a variable by which a person controls the tests themselves."""
    return os.environ.get(name, default)
