"""The licences of published components: how each is determined as an SPDX expression,
and which are allowed."""

from __future__ import annotations

from importlib.metadata import PackageMetadata
from typing import Any, Final

from license_expression import (
    AND,
    ExpressionError,
    LicenseWithExceptionSymbol,
    get_spdx_licensing,
)

from platform_site.site.publishing.errors import CannotPublishError

# They require that text and names are kept, which the folder does.
PERMISSIVE: Final = frozenset(
    {
        *("0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0"),
        *("BSD-Attribution-HPND-disclaimer", "OLDAP-2.8", "OFL-1.1", "PSF-2.0"),
        *("PostgreSQL", "Unicode-3.0", "Unlicense", "Zlib"),
    }
)
# They require that changes to their files are published, and that the library can be
# replaced: nothing is changed, and `lib/` has each one as files.
OF_THEIR_OWN_FILES: Final = frozenset({"LGPL-2.1-or-later", "LGPL-3.0-only", "MPL-2.0"})
# Taken from licence files if the metadata has no SPDX expression.
_READ: Final = {
    "drf-spectacular-sidecar": "BSD-3-Clause",
    "procrastinate": "MIT",
    "sqlparse": "BSD-3-Clause",
    "uritemplate": "BSD-3-Clause OR Apache-2.0",
}
_SPDX: Final[Any] = get_spdx_licensing()


def licence_of(name: str, metadata: PackageMetadata) -> str:
    """Return the licence of a library as an SPDX expression.

    Raise CannotPublishError if neither its metadata nor our list has one.
    """
    keys = [key for key in ("License-Expression", "License") if key in metadata]
    for text in (_READ.get(name, ""), *(metadata[key] for key in keys)):
        if _is_expression(text):
            return text
    raise _unknown(name)


def check(name: str, expression: str) -> None:
    """Raise CannotPublishError for a licence that isn't allowed."""
    if not _is_expression(expression):
        raise _unknown(name)
    if not _is_allowed(_SPDX.parse(expression)):
        raise CannotPublishError(
            f"{name} has the licence {expression}, which is not among those that may "
            "be published (platform_site/site/publishing/licences.py); use another library."
        )


def _unknown(name: str) -> CannotPublishError:
    return CannotPublishError(
        f"The licence of {name} is not known; read it, and add it to "
        "platform_site/site/publishing/licences.py, or for a part of a library to "
        "bundled_components.toml beside it."
    )


def _is_expression(text: str) -> bool:
    """Return whether a text is a valid SPDX expression."""
    try:
        return _SPDX.parse(text, validate=True, strict=True) is not None
    except (ExpressionError, AttributeError):
        return False


def _is_allowed(node: Any) -> bool:
    if isinstance(node, LicenseWithExceptionSymbol):
        # An exception only allows more.
        return _is_allowed(node.license_symbol)
    if hasattr(node, "key"):
        return node.key in PERMISSIVE | OF_THEIR_OWN_FILES
    parts = [_is_allowed(part) for part in node.args]
    # Of alternatives, one suffices.
    return all(parts) if isinstance(node, AND) else any(parts)
