"""The limits of a licence, and pure functions that check a number against them. Callers
count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from licensing.translation import ngettext, number


@dataclass(frozen=True, slots=True)
class LicenceLimits:
    """The three limits of a licence; None means unlimited."""

    users: int | None
    documents_per_month: int | None
    lines_per_document: int | None


# HOST-165, HOST-166, HOST-167
FREE: Final = LicenceLimits(users=5, documents_per_month=1000, lines_per_document=200)


def judge_users(limits: LicenceLimits, needed: int) -> str | None:
    """Return why there can't be this many users, not counting service users."""
    if limits.users is None or needed <= limits.users:
        return None
    sentence = ngettext(
        "The licence allows %(allowed)s user, and %(needed)s would be needed.",
        "The licence allows %(allowed)s users, and %(needed)s would be needed.",
        limits.users,
    )
    return sentence % {"allowed": number(limits.users), "needed": number(needed)}


def judge_documents(limits: LicenceLimits, needed: int) -> str | None:
    """Return why there can't be this many documents in one calendar month."""
    allowed = limits.documents_per_month
    if allowed is None or needed <= allowed:
        return None
    sentence = ngettext(
        "The licence allows %(allowed)s document a month, and %(needed)s would be needed this month.",
        "The licence allows %(allowed)s documents a month, and %(needed)s would be needed this month.",
        allowed,
    )
    return sentence % {"allowed": number(allowed), "needed": number(needed)}


def judge_lines(limits: LicenceLimits, needed: int, *, document: str) -> str | None:
    """Return why a document can't have this many lines in its longest table."""
    allowed = limits.lines_per_document
    if allowed is None or needed <= allowed:
        return None
    sentence = ngettext(
        "The licence allows %(allowed)s line in a document, and %(document)s would have %(needed)s.",
        "The licence allows %(allowed)s lines in a document, and %(document)s would have %(needed)s.",
        allowed,
    )
    figures = {"allowed": number(allowed), "needed": number(needed)}
    return sentence % {**figures, "document": document}


def describe(limits: LicenceLimits) -> str:
    """Return the limits as text, for a log or a page."""
    return (
        f"{_count(limits.users, 'user')}, "
        f"{_count(limits.documents_per_month, 'document')} a month, "
        f"{_count(limits.lines_per_document, 'line')} in a document"
    )


def _count(number: int | None, noun: str) -> str:
    if number is None:
        return f"any number of {noun}s"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
