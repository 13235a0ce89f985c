"""Pure functions for the licence, a compact JWS (RFC 7515) signed with Ed25519: its
verification, the state and limits at a given time, and its signing by the vendor."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeGuard

from licensing.limits import FREE, LicenceLimits

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

LONGEST_TEXT: Final = 8192
GREATEST_LIMIT: Final = 2_147_483_647
_ALGORITHM: Final = "EdDSA"
_CLAIMS: Final = (
    "licensee",
    "iat",
    "exp",
    "users",
    "documentsPerMonth",
    "linesPerDocument",
)
_LONGEST_NAME: Final = 200
# Control characters, lone surrogates and line breaks would break a log line.
_NOT_IN_A_NAME: Final = frozenset({"Cc", "Cs", "Zl", "Zp"})
_LAST_SECOND: Final = 253_402_300_799  # of the year 9999
# The clocks of vendor and installation may differ slightly.
_CLOCKS_DIFFER: Final = timedelta(minutes=5)


class LicenceState(StrEnum):
    """The state of the configured licence in the API (OPEN-84)."""

    FREE = "free"
    LICENSED = "licensed"
    EXPIRED = "expired"
    INVALID = "invalid"


class LicenceError(ValueError):
    """A licence isn't accepted; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The content of a licence with a valid signature and form."""

    licensee: str
    issued_at: datetime
    expires_at: datetime
    limits: LicenceLimits


@dataclass(frozen=True, slots=True)
class Licence:
    """The state of the licence at one time, with its limits.

    `limits` are those of Free in every state but Licensed; `reason` is a sentence if
    the state is Expired or Invalid.
    """

    state: LicenceState
    limits: LicenceLimits = FREE
    reason: str = ""
    terms: Terms | None = None

    def at(self, now: datetime) -> Licence:
        """Return the state of the same licence at another time."""
        return self if self.terms is None else _judge(self.terms, now)


NO_LICENCE: Final = Licence(LicenceState.FREE)


def read_licence(text: str, public_key: Ed25519PublicKey, now: datetime) -> Licence:
    """Return the licence for any text; never raises."""
    try:
        terms = _terms(_claims(_verified(text.strip(), public_key)))
    except LicenceError as error:
        return invalid(str(error))
    return _judge(terms, now)


def invalid(reason: str) -> Licence:
    """Return the state of an installation whose licence can't be used."""
    return Licence(LicenceState.INVALID, reason=reason)


def sign_licence(terms: Terms, private_key: Ed25519PrivateKey) -> str:
    """Return the licence text for the terms.

    Raise LicenceError for terms that no installation would accept.
    """
    from jwt import PyJWS  # noqa: PLC0415 - as in `_verified`

    claims = {
        "licensee": terms.licensee,
        "iat": int(terms.issued_at.timestamp()),
        "exp": int(terms.expires_at.timestamp()),
        "users": terms.limits.users,
        "documentsPerMonth": terms.limits.documents_per_month,
        "linesPerDocument": terms.limits.lines_per_document,
    }
    _terms(claims)
    payload = json.dumps(claims, separators=(",", ":")).encode()
    return PyJWS().encode(payload, private_key, _ALGORITHM)


def _judge(terms: Terms, now: datetime) -> Licence:
    if terms.issued_at > now + _CLOCKS_DIFFER:
        return Licence(
            LicenceState.INVALID,
            reason=(
                f"The licence was issued at {_shown(terms.issued_at)}, which is "
                "in the future by this machine's clock; check the clock."
            ),
            terms=terms,
        )
    # At that second it has already expired (RFC 7519, 4.1.4).
    if now >= terms.expires_at:
        return Licence(
            LicenceState.EXPIRED,
            reason=(
                f"The licence of {terms.licensee} ended at "
                f"{_shown(terms.expires_at)}; a new one is needed."
            ),
            terms=terms,
        )
    return Licence(LicenceState.LICENSED, limits=terms.limits, terms=terms)


def _verified(text: str, public_key: Ed25519PublicKey) -> bytes:
    # It imports `cryptography`, which takes eight megabytes, and without a licence
    # nothing needs it.
    from jwt import (  # noqa: PLC0415 - as said above
        InvalidAlgorithmError,
        InvalidSignatureError,
        PyJWS,
        PyJWTError,
    )

    if not text:
        raise LicenceError("The licence is empty.")
    if len(text) > LONGEST_TEXT:
        raise LicenceError(
            f"The licence is longer than {LONGEST_TEXT:,} characters; no valid "
            "licence is."
        )
    if not text.isascii():
        raise LicenceError(
            "The licence contains characters that no licence has; copy it again."
        )
    try:
        # The algorithm is fixed here: the text must not choose it.
        payload = PyJWS().decode(text, public_key, algorithms=[_ALGORITHM])
    except InvalidSignatureError:
        raise LicenceError(
            "The signature of the licence is wrong: it was changed, cut short, or "
            "signed with another key."
        ) from None
    except InvalidAlgorithmError:
        raise LicenceError(f"The licence is not signed with {_ALGORITHM}.") from None
    except (PyJWTError, ValueError, TypeError, RecursionError):
        raise LicenceError(
            "This isn't a complete licence; copy it again, whole and on one line."
        ) from None
    return bytes(payload)


def _claims(payload: bytes) -> Mapping[str, object]:
    try:
        claims = json.loads(payload.decode())
    except (ValueError, RecursionError):
        raise LicenceError("The content of the licence is not JSON.") from None
    if not isinstance(claims, dict):
        raise LicenceError("The content of the licence isn't a JSON object.")
    return claims


def _terms(claims: Mapping[str, object]) -> Terms:
    missing = [name for name in _CLAIMS if name not in claims]
    if missing:
        raise LicenceError(f"The licence lacks {', '.join(missing)}.")
    return Terms(
        licensee=_name(claims["licensee"]),
        issued_at=_moment(claims, "iat"),
        expires_at=_moment(claims, "exp"),
        limits=LicenceLimits(
            users=_limit(claims, "users"),
            documents_per_month=_limit(claims, "documentsPerMonth"),
            lines_per_document=_limit(claims, "linesPerDocument"),
        ),
    )


def _name(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise LicenceError("The claim licensee must be a string that isn't blank.")
    if len(value) > _LONGEST_NAME:
        raise LicenceError(
            f"The claim licensee is longer than {_LONGEST_NAME} characters."
        )
    if any(unicodedata.category(character) in _NOT_IN_A_NAME for character in value):
        raise LicenceError(
            "The claim licensee must not hold line ends or control characters."
        )
    return value.strip()


def _moment(claims: Mapping[str, object], name: str) -> datetime:
    value = claims[name]
    if not _is_whole(value) or not 0 <= value <= _LAST_SECOND:
        raise LicenceError(
            f"The claim {name} must be a moment in whole seconds since 1970, not "
            "after the year 9999."
        )
    return datetime.fromtimestamp(value, UTC)


def _limit(claims: Mapping[str, object], name: str) -> int | None:
    value = claims[name]
    if value is None:
        return None
    if not _is_whole(value) or not 1 <= value <= GREATEST_LIMIT:
        raise LicenceError(
            f"The claim {name} must be null or a whole number from 1 to "
            f"{GREATEST_LIMIT:,}."
        )
    return value


def _is_whole(value: object) -> TypeGuard[int]:
    # True is an int in Python, but isn't a number in a licence.
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
