"""Proposed imports: they wait until a person who may import has checked and imported
them, or declines them.

A proposal writes no rows. Its check is the ordinary dry run of its bytes, and its import
the ordinary import after that; an import of the same bytes settles it, by whatever page
or request it was started.
"""

from __future__ import annotations

import hashlib
import io
import zlib
from datetime import timedelta
from typing import Any, BinaryIO, Final
from uuid import UUID

import msgspec
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext as _

from importer import registry
from importer.models import ImportRun, ProposedImport

KEPT_FOR: Final = timedelta(days=30)
MOST_OPEN_PER_USER: Final = 20
MOST_OPEN: Final = 200
LARGEST: Final = 5_000_000
LONGEST_REASON: Final = 1000
LONGEST_ANSWER: Final = 500
_FAST: Final = 1
State = ProposedImport.State


class ProposalRefused(Exception):
    """The refusal of a proposal, or of a decision about one."""


class UnknownProposal(LookupError):
    """No proposal has this identifier, or it is no longer kept."""

    def __init__(self) -> None:
        super().__init__(
            _("There is no such proposal. Proposals are kept for 30 days.")
        )


class _Header(msgspec.Struct):
    """The part of a package that names it and its targets."""

    format: str
    package: str
    steps: list[dict[str, Any]]


def targets_of_package(content: bytes) -> set[str]:
    """Return the names of the targets of a package's steps; raise ProposalRefused if it
    isn't a package."""
    kinds = registry.package_format().kinds
    found = (step.get(key) for step in _header(content).steps for key in kinds)
    return {name for name in found if isinstance(name, str)}


def propose_import(content: bytes, reason: str, *, user: Any) -> ProposedImport:
    """Store a package for a person who may import it; raise ProposalRefused.

    Equal bytes that wait already are the same proposal.
    """
    header, reason = _header(content), reason.strip()
    if not reason or len(reason) > LONGEST_REASON:
        sentence = _("Give a reason of at most %(most)s characters.")
        raise ProposalRefused(sentence % {"most": LONGEST_REASON})
    digest = hashlib.sha256(content).hexdigest()
    settle()
    same = open_proposals().filter(proposed_by=user.pk, digest=digest).first()
    if same is not None:
        return same
    _refuse_beyond_limits(user)
    return ProposedImport.objects.create(
        package=header.package[:100],
        reason=reason,
        content=zlib.compress(content, _FAST),
        size=len(content),
        digest=digest,
        proposed_by=user,
        proposed_by_name=user.get_username(),
        proposed_at=timezone.now(),
    )


def open_proposals() -> QuerySet[ProposedImport]:
    """Return the proposals that wait, oldest first, without their packages."""
    return _open().defer("content")


def find_proposal(text: str, user: Any) -> ProposedImport | None:
    """Return a proposal by its identifier if the user made it or may import, else
    None."""
    try:
        key = UUID(text)
    except ValueError:
        return None
    settle()
    kept = ProposedImport.objects.filter(_kept(), pk=key).defer("content")
    if not registry.may_import(user):
        kept = kept.filter(proposed_by=user.pk)
    return kept.first()


def opened(text: str) -> BinaryIO:
    """Return the package of an open proposal; raise UnknownProposal or
    ProposalRefused."""
    proposal = _by_identifier(text)
    if proposal.state != State.OPEN:
        raise ProposalRefused(_decided_already(proposal))
    return io.BytesIO(zlib.decompress(bytes(proposal.content)))


def decline(text: str, answer: str, *, user: Any) -> None:
    """Decline an open proposal; raise UnknownProposal, or ProposalRefused if somebody
    has decided already."""
    settle()
    proposal = _by_identifier(text)
    decided = (
        _open()
        .filter(pk=proposal.pk)
        .update(
            state=State.DECLINED,
            answer=answer.strip()[:LONGEST_ANSWER],
            decided_by_name=user.get_username(),
            decided_at=timezone.now(),
            content=b"",
        )
    )
    if not decided:
        proposal.refresh_from_db()
        raise ProposalRefused(_decided_already(proposal))


def settle() -> None:
    """Mark open proposals as imported whose bytes an import has carried out since."""
    waiting = list(open_proposals())
    runs = ImportRun.objects.real().listed().filter(status=ImportRun.Status.COMPLETED)
    runs = runs.filter(digest__in={one.digest for one in waiting})
    for run in runs.order_by("started_at") if waiting else ():
        _open().filter(digest=run.digest, proposed_at__lte=run.started_at).update(
            state=State.IMPORTED,
            run=run,
            decided_by_name=run.started_by_name,
            decided_at=run.finished_at,
            content=b"",
        )


def remove_old() -> None:
    """Delete proposals that are over their time."""
    ProposedImport.objects.exclude(_kept()).delete()


def _open() -> QuerySet[ProposedImport]:
    return ProposedImport.objects.filter(_kept(), state=State.OPEN)


def _kept() -> Q:
    return Q(proposed_at__gte=timezone.now() - KEPT_FOR)


def _by_identifier(text: str) -> ProposedImport:
    try:
        return ProposedImport.objects.filter(_kept()).get(pk=UUID(text))
    except (ValueError, ProposedImport.DoesNotExist):
        raise UnknownProposal from None


def _decided_already(proposal: ProposedImport) -> str:
    if proposal.state == State.IMPORTED:
        sentence = _("%(name)s has imported this proposal already.")
    else:
        sentence = _("%(name)s has declined this proposal already.")
    return sentence % {"name": proposal.decided_by_name}


def _header(content: bytes) -> _Header:
    """Return what is read of a package; raise ProposalRefused if it isn't one."""
    if len(content) > LARGEST:
        sentence = _(
            "The package has %(size)s bytes; a proposal may have at most %(most)s. "
            "Propose several smaller packages."
        )
        size = number_format(len(content), force_grouping=True)
        most = number_format(LARGEST, force_grouping=True)
        raise ProposalRefused(sentence % {"size": size, "most": most})
    try:
        header = msgspec.json.decode(content, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
        sentence = _("This isn't a package: %(reason)s")
        raise ProposalRefused(sentence % {"reason": wrong}) from None
    if not header.package or not header.format.startswith("platform-import/"):
        raise ProposalRefused(
            _(
                "This isn't a package: give the format platform-import/1 and the name "
                "of the package."
            )
        )
    return header


def _refuse_beyond_limits(user: Any) -> None:
    count, own = _open().count(), _open().filter(proposed_by=user.pk).count()
    if own >= MOST_OPEN_PER_USER or count >= MOST_OPEN:
        sentence = _(
            "%(own)s proposals of yours and %(count)s in all wait already. Ask an "
            "administrator to decide about them first."
        )
        raise ProposalRefused(sentence % {"own": own, "count": count})
