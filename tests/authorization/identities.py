"""Who asks: from nobody to the administrator, each with the rights they have, as data.

The rights are written down here once more, and not read from the database, so that the
matrix does not believe what it judges.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

_BUSINESS = ("catalogs", "documents")


@dataclass(frozen=True)
class Identity:
    """Somebody who asks: how they sign in, and which rights they have.

    ``rights`` are patterns of `app.codename`; ``role`` is a standard role they come
    from, else they are given to the account itself. ``ended`` says what has ended.
    """

    rights: tuple[str, ...] = ()
    role: str = ""
    staff: bool = False
    signed_in: bool = True
    by_key: bool = False
    ended: str = ""
    locked: bool = False
    superuser: bool = False
    administrator: bool = False

    @property
    def on_pages(self):
        """Return whether pages know who this is: they look at sessions, not at keys."""
        return self.signed_in and not self.by_key and not self.ended

    @property
    def in_api(self):
        """Return whether the API knows who this is."""
        return self.signed_in and not self.ended

    def has(self, right):
        """Return whether one of the rights is meant."""
        return any(fnmatchcase(right, pattern) for pattern in self.rights)


def _of(verbs):
    return tuple(f"{app}.{verb}_*" for app in _BUSINESS for verb in verbs)


_CLERK = (
    "documents.view_goodsissue",
    "documents.add_goodsissue",
    "documents.change_goodsissue",
    "catalogs.view_item",
    "catalogs.add_item",
    "catalogs.delete_item",
    "processing.ExecuteRecalculateCosts",
)
IDENTITIES = {
    "nobody": Identity(signed_in=False),
    "a disabled administrator": Identity(
        ("*",), role="admin", staff=True, ended="account"
    ),
    "a revoked key of an administrator": Identity(
        ("*",), role="admin", by_key=True, ended="key"
    ),
    "an expired key of an administrator": Identity(
        ("*",), role="admin", by_key=True, ended="expired"
    ),
    "an expired token of an administrator": Identity(
        ("*",), role="admin", by_key=True, ended="token"
    ),
    "a locked administrator": Identity(("*",), role="admin", staff=True, ended="lock"),
    # A lock is about passwords: OPEN-115.
    "a key of a locked reader": Identity(
        _of(["view"]), role="user", by_key=True, locked=True
    ),
    "somebody without a role": Identity(),
    "staff without a role": Identity(staff=True),
    "a reader": Identity(_of(["view"]), role="user"),
    "a clerk": Identity(_CLERK, staff=True),
    "a key of a clerk": Identity(_CLERK, by_key=True),
    "an accountant": Identity(
        (
            "documents.view_goodsissue",
            "documents.post_goodsissue",
            "documents.unpost_goodsissue",
            "documents.post_salesorder",
            "documents.view_ledgerentry",
            "documents.view_stockbalance",
            "changes.view_changeevent",
        ),
        staff=True,
    ),
    "a user manager": Identity(
        ("accounts.view_user", "accounts.change_user"), staff=True
    ),
    "an office": Identity(
        (
            "accounts.*_user",
            "accounts.*_role",
            "accounts.*_apikey",
            "scheduling.*_job",
            "scheduling.view_jobexecution",
        ),
        staff=True,
    ),
    "an employee": Identity(
        (*_of(["view", "add", "change", "delete", "post", "unpost"]), "*.Execute*"),
        role="employee",
        staff=True,
    ),
    "a key of an employee": Identity(
        (*_of(["view", "add", "change", "delete", "post", "unpost"]), "*.Execute*"),
        role="employee",
        by_key=True,
    ),
    "an administrator": Identity(("*",), role="admin", staff=True, administrator=True),
    "a superuser": Identity(("*",), staff=True, superuser=True, administrator=True),
}
