"""The package that a command imports: a file, an embedded package or standard input."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec
from django.core.management.base import CommandError

from importer import conf, services
from importer.management.exit_codes import FAILED, WRONG_CALL
from importer.management.importing_user import reason_of
from importer.sources import package_meant

STANDARD_INPUT = "-"
_PIECE = 1 << 20


class PackageSource(msgspec.Struct, frozen=True):
    """An open package, and the name that places of errors begin with."""

    stream: BinaryIO
    name: str


@contextmanager
def opened_package(package: str) -> Iterator[PackageSource]:
    """Open a package and close it in the end."""
    if package == STANDARD_INPUT:
        with tempfile.TemporaryFile(dir=conf.setting("TEMP_FOLDER")) as copy:
            _copy_standard_input(copy)
            yield PackageSource(copy, "<stdin>")
        return
    path, name = Path(package), package
    try:
        if path.is_dir() or not path.exists():
            path = _embedded(package)
            name = path.name
        source = path.open("rb")
    except OSError as error:
        message = f"{package} cannot be read: {reason_of(error)}."
        raise CommandError(message, returncode=WRONG_CALL) from None
    with source:
        yield PackageSource(source, name)


def _embedded(package: str) -> Path:
    embedded = services.embedded_package(package)
    if embedded is None:
        message = f'"{package}" is neither a file nor an embedded package.'
        message += package_meant(package)
        raise CommandError(message, returncode=WRONG_CALL)
    return embedded.path


def _copy_standard_input(copy: BinaryIO) -> None:
    """Copy standard input, which may be as large as an uploaded package."""
    source = getattr(sys.stdin, "buffer", None)
    if source is None:
        raise CommandError("There is no standard input.", returncode=WRONG_CALL)
    most, size = int(conf.setting("MAX_PACKAGE_SIZE_BYTES")), 0
    try:
        while piece := source.read(_PIECE):
            size += len(piece)
            if size > most:
                message = (
                    f"The package on standard input is larger than {most:,} bytes, the "
                    "largest size allowed. Nothing was imported; save the package as a "
                    "file and import that."
                )
                raise CommandError(message, returncode=WRONG_CALL)
            copy.write(piece)
        copy.seek(0)
    except KeyboardInterrupt:
        message = "Nothing was imported: reading the package was interrupted."
        raise CommandError(message, returncode=FAILED) from None
    except OSError as error:
        reason = "the disk is full" if services.is_out_of_space(error) else None
        message = f"Nothing was imported: {reason or reason_of(error)}."
        raise CommandError(message, returncode=FAILED) from None
