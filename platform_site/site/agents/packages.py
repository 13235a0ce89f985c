"""Packages from agents: dry runs, proposals, and what became of both."""

from __future__ import annotations

from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _

from importer import services
from importer.models import ProposedImport
from platform_site.site.agents.api_caller import ApiCaller, ApiRefused
from platform_site.site.agents.run_summaries import ended_run, explained
from platform_site.site.agents.sizes import as_text

# A message with a package is in memory as a whole, several times.
LARGEST_PACKAGE: Final = 5_000_000


def dry_run(api: ApiCaller, package: dict[str, Any]) -> dict[str, Any]:
    """Start a dry run of a package, wait a while for its end, and return its summary."""
    started = api.send_file(
        "Import",
        "run",
        file=_bytes(package),
        dryRun="true",
        continueOnError="true",
        queue="true",
    )
    return explained(api, ended_run(api, started["runId"]))


def explained_run(api: ApiCaller, run_id: str) -> dict[str, Any]:
    """Return the summary of a run, or the state of a proposal."""
    proposal = services.find_proposal(run_id, api.user)
    if proposal is not None:
        return _proposal(api, proposal)
    return explained(api, api.get("Import", "runs", run_id, limit=0))


def propose(api: ApiCaller, package: dict[str, Any], reason: str) -> dict[str, Any]:
    """Store a package for a person who may import it; the key must be allowed to read
    every catalog that the package names."""
    content = _bytes(package)
    try:
        for target in sorted(services.targets_of_package(content)):
            _require_readable(api, target)
        proposal = services.propose_import(content, reason, user=api.user)
    except services.ProposalRefused as refused:
        raise ApiRefused({"code": "invalid", "detail": str(refused)}) from None
    return _proposal(api, proposal)


def _require_readable(api: ApiCaller, target: str) -> None:
    """Raise ApiRefused if the key may not read a target; the dry run tells what doesn't
    exist."""
    try:
        api.get(target, pageSize=1)
    except ApiRefused as refused:
        if refused.problem.get("code") == "not-allowed":
            raise


def _bytes(package: dict[str, Any]) -> bytes:
    content = as_text(package).encode()
    if len(content) > LARGEST_PACKAGE:
        sentence = _(
            "The package is larger than %(most)s bytes, the most that an agent may send. "
            "Split it, or send it by the API."
        )
        detail = sentence % {"most": f"{LARGEST_PACKAGE:,}"}
        raise ApiRefused(
            {"code": "too-large", "detail": detail, "limit": LARGEST_PACKAGE}
        )
    return content


def _proposal(api: ApiCaller, proposal: ProposedImport) -> dict[str, Any]:
    told = {
        ProposedImport.State.OPEN: "It waits on the import page. Call explain_run with "
        "its proposalId later to see what became of it.",
        ProposedImport.State.IMPORTED: f"{proposal.decided_by_name} has imported it.",
        ProposedImport.State.DECLINED: f"{proposal.decided_by_name} has declined it.",
    }[ProposedImport.State(proposal.state)]
    answer = {
        "summary": f"Proposal of {proposal.package}: {proposal.state}. {told}",
        "proposalId": str(proposal.pk),
        "package": proposal.package,
        "state": proposal.state,
        "reason": proposal.reason,
        "link": api.address(reverse("import-page")),
    }
    if proposal.answer:
        answer["answer"] = proposal.answer
    if proposal.run_id:
        answer["runId"] = str(proposal.run_id)
    return answer
