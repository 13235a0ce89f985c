"""The scopes of API keys: what a key may do and where, within the rights of its user.

They are checked in two places. Every request with a key passes `refuse_beyond_scopes`,
and for a key that is limited to some names, its user has only the rights to these.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from importer import did_you_mean, printable

READ: Final = "read"
WRITE: Final = "write"
IMPORT: Final = "import"
VERBS: Final = (READ, WRITE, IMPORT)
LONGEST: Final = 1000
_READING: Final = ("GET", "HEAD", "OPTIONS")
_BASE: Final = ("api", "v1")
# Readable with every key: whose it is, and which installation this is.
# The first is the entrance of the API.
_ALWAYS: Final = ("", "About", "Account")
# These show only what the rights of the user allow.
_BY_RIGHTS: Final = (*_ALWAYS, "Changes", "Reports")
_IMPORTS: Final = "Import"
_BEYOND_SCOPES: Final = ("ApiKeys", "Webhooks")
# Outside of the API: readable with a key to read that has no names.
_DETAILS: Final = "health/details"


@dataclass(frozen=True, slots=True)
class Scopes:
    """What a key with scopes may do; without names everywhere."""

    verbs: frozenset[str]
    names: frozenset[str]

    def has_right(self, right: str) -> bool:
        """Return whether a right, such as `catalogs.view_item`, is within the names."""
        return not self.names or _names_by_model().get(_model(right)) in self.names


def scopes_of(text: str) -> Scopes | None:
    """Return the scopes of a key, None if it has none and may do everything."""
    words = frozenset(text.split())
    if not words:
        return None
    verbs = words & {*VERBS} or {READ, WRITE}
    return Scopes(frozenset(verbs), words - {*VERBS})


def checked_scopes(words: Iterable[str]) -> str:
    """Return scopes as they are stored; raise `ValidationError` for wrong ones."""
    given = dict.fromkeys(words)
    known = (*VERBS, *scope_names())
    for word in given:
        if word not in known:
            sentence = _('There is no scope "%(name)s".') % {"name": printable(word)}
            sentence += did_you_mean(word, known, sentence=True)
            raise _wrong(sentence)
    if IMPORT in given and not {*given} <= {*VERBS}:
        raise _wrong(
            _(
                "A package may contain rows of every catalog. Leave out either the "
                "scope “import” or the names."
            )
        )
    text = " ".join(word for word in known if word in given)
    if len(text) > LONGEST:
        raise _wrong(_("These are too many names; leave out all of them."))
    return text


def scope_names() -> list[str]:
    """Return the names of the catalogs, documents and registers, sorted."""
    return sorted(set(_names_by_model().values()))


def refuse_beyond_scopes(scopes: Scopes | None, request: Request) -> None:
    """Raise PermissionDenied for a request that the scopes of its key don't allow."""
    if scopes is None:
        return
    match = request._request.resolver_match
    parts = [] if match is None else match.route.split("/")
    is_reading = request.method in _READING
    area = parts[2] if len(parts) > len(_BASE) else ""
    if tuple(parts[:2]) == _BASE and area in _ALWAYS and is_reading:
        return
    if match is not None and match.route == _DETAILS and is_reading:
        if READ not in scopes.verbs or scopes.names:
            raise _refusal(scopes, "" if READ in scopes.verbs else READ)
        return
    verb = IMPORT if area == _IMPORTS else READ if is_reading else WRITE
    if tuple(parts[:2]) != _BASE or verb not in scopes.verbs:
        raise _refusal(scopes, verb)
    if area in _BEYOND_SCOPES and not is_reading:
        # A key or webhook that it creates has all rights of its user.
        raise _refusal(scopes, "")
    if scopes.names and area not in _BY_RIGHTS:
        named = [part for part in parts if part in scope_names()]
        outside = [name for name in named if name not in scopes.names]
        if outside or not named:
            raise _refusal(scopes, outside[0] if outside else "")


def refuse_beyond_names(user: Any, model: type[models.Model]) -> None:
    """Raise PermissionDenied for rows that the names of the user's key leave out."""
    scopes: Scopes | None = getattr(user, "key_scopes", None)
    options = model._meta
    if scopes and not scopes.has_right(
        f"{options.app_label}.view_{options.model_name}"
    ):
        found = _names_by_model().get((options.app_label, str(options.model_name)), "")
        raise _refusal(scopes, found)


def _refusal(scopes: Scopes, lacking: str) -> PermissionDenied:
    given = " ".join([*sorted(scopes.verbs), *sorted(scopes.names)])
    if lacking:
        sentence = _(
            "This API key has the scopes “%(given)s” and lacks “%(lacking)s”; use "
            "another key."
        )
    else:
        sentence = _(
            "This API key has the scopes “%(given)s”, which don't allow this; use a "
            "key without scopes."
        )
    return PermissionDenied(sentence % {"given": given, "lacking": lacking})


def _wrong(sentence: str) -> ValidationError:
    return ValidationError({"scopes": sentence})


def _model(right: str) -> tuple[str, str]:
    """Return the app and the model of a right."""
    app, _dot, codename = right.partition(".")
    return app, codename.partition("_")[2]


@functools.cache
def _names_by_model() -> dict[tuple[str, str], str]:
    """Return the names of the API's lists by app and model."""
    found: dict[tuple[str, str], str] = {}
    for model in apps.get_models():
        own: Mapping[str, Any] = vars(model)
        name = own.get("catalog_name") or own.get("list_name")
        if name:
            found[model._meta.app_label, str(model._meta.model_name)] = name
    return found
