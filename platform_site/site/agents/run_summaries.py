"""What an agent reads about a run: the counts, the causes of failures with their
remedies, and the first objects of each outcome."""

from __future__ import annotations

import time
from typing import Any, Final

from django.urls import reverse

from platform_site.site.agents.api_caller import ApiCaller
from platform_site.site.agents.sizes import compact

PATIENCE_SECONDS: Final = 20.0
_MOST_PROBLEMS: Final = 20
_MOST_OF_AN_OUTCOME: Final = 5
_SETTLED: Final = "Unchanged"
_UNFINISHED: Final = ("Queued", "Running")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 0.5


def ended_run(api: ApiCaller, run_id: str) -> dict[str, Any]:
    """Return a run without the entries of its report, after waiting a while for its end."""
    until, pause = time.monotonic() + PATIENCE_SECONDS, _FIRST_PAUSE
    while True:
        run: dict[str, Any] = api.get("Import", "runs", run_id, limit=0)
        if run["status"] not in _UNFINISHED or time.monotonic() > until:
            return run
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def explained(api: ApiCaller, run: dict[str, Any]) -> dict[str, Any]:
    """Return what an agent should know about a run."""
    link = api.address(f"{reverse('import-page')}?run={run['runId']}")
    counts = {outcome: n for outcome, n in run["counts"].items() if n}
    answer = {
        "summary": _summary(run, counts),
        **{name: run[name] for name in ("runId", "package", "version", "status")},
        "dryRun": run["dryRun"],
        "startedBy": run["startedBy"],
        "counts": counts,
        "link": link,
    }
    if run["status"] in _UNFINISHED:
        return {**compact(answer), "next": "Call explain_run with this runId later."}
    report = run["report"] or {"problems": [], "diagnostics": []}
    problems = report["problems"]
    if len(problems) > _MOST_PROBLEMS:
        answer["moreProblems"] = len(problems) - _MOST_PROBLEMS
    return {
        **compact(answer),
        "problems": compact(problems[:_MOST_PROBLEMS]),
        "diagnostics": compact(report["diagnostics"][:_MOST_PROBLEMS]),
        "firstObjects": {
            outcome: compact(_entries(api, run["runId"], outcome))
            for outcome in counts
            if outcome != _SETTLED
        },
    }


def _entries(api: ApiCaller, run_id: str, outcome: str) -> list[Any]:
    found = api.get(
        "Import", "runs", run_id, outcome=outcome, limit=_MOST_OF_AN_OUTCOME
    )
    return list(found["report"]["items"])


def _summary(run: dict[str, Any], counts: dict[str, int]) -> str:
    kind = "Dry run" if run["dryRun"] else "Import"
    name = f" of {run['package']}" if run["package"] else ""
    told = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
    errors = (
        " It has errors; `problems` says what to correct." if run["hasErrors"] else ""
    )
    return f"{kind}{name}: {run['status']}. Objects: {told or 'none'}.{errors}"
