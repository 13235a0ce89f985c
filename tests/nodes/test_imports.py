"""Imports of several nodes: any of them carries one out, and each shows and ends those of
the others."""

from __future__ import annotations

import signal
import sys

import pytest

from tests.builders import units
from tests.journeys.installation import wait_until

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc."),
]
# So many that a run is still in progress when somebody looks.
OBJECTS = 1_200


def package(name, count=OBJECTS):
    codes = (f"{name}-{n}" for n in range(count))
    return units(*codes, package=name).as_bytes()


def stored(cluster, name):
    query = f"SELECT count(*) FROM catalogs_unitofmeasure WHERE code LIKE '{name}-%'"
    return cluster.rows(query)[0][0]


def runs(cluster, name):
    """Return the runs of a package with their states, the oldest first; no node is
    asked, because an import waits for requests."""
    return cluster.rows(
        "SELECT run_id::text, status FROM importer_importrun"
        f" WHERE package = '{name}' ORDER BY started_at"
    )


def states(cluster, name):
    return [status for _run, status in runs(cluster, name)]


def is_at_rest(cluster):
    return not cluster.rows("SELECT id FROM procrastinate_jobs")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_where_a_node_dies_or_freezes_another_ends_its_run_and_repeats_it(cluster, how):
    name = how.name.lower()
    run = cluster.nodes[0].upload(package(name))
    dead = cluster.holder()
    wait_until(lambda: stored(cluster, name) > 100)
    dead.kill(how)
    wait_until(lambda: states(cluster, name) == ["Interrupted", "Completed"])
    assert stored(cluster, name) == OBJECTS
    if how == signal.SIGSTOP:
        # It finds its run ended by others.
        dead.kill(signal.SIGCONT)
    else:
        dead.start()
        dead.ready()
    wait_until(lambda: is_at_rest(cluster))
    (first, _), (again, _) = runs(cluster, name)
    assert first == run
    for node in cluster.nodes:
        before, counts = node.run(first), node.run(again)["counts"]
        assert before["status"] == "Interrupted"
        assert counts["Inserted"] + counts["Unchanged"] == OBJECTS
        assert counts["Unchanged"] >= before["counts"]["Inserted"] > 0


def test_queued_runs_keep_their_order_whichever_node_takes_them(cluster):
    cluster.nodes[0].upload(package("long"))
    queued = [
        cluster.nodes[n % 3].upload(package(f"q{n}", 5), queue="true") for n in range(5)
    ]
    positions = {one["runId"]: one.get("position") for one in cluster.nodes[1].runs()}
    assert [positions[run] for run in queued] == [1, 2, 3, 4, 5]
    wait_until(lambda: is_at_rest(cluster))
    told = [cluster.nodes[2].run(run) for run in queued]
    assert {one["status"] for one in told} == {"Completed"}
    begun = [one["startedAt"] for one in told]
    assert begun == sorted(begun)


def test_a_node_that_is_stopped_hands_its_run_to_another(cluster):
    cluster.nodes[0].upload(package("moved"))
    stopped = cluster.holder()
    wait_until(lambda: stored(cluster, "moved") > 100)
    assert stopped.stop() == 0
    # It has ended its run and ordered the next one itself.
    assert states(cluster, "moved")[0] == "Interrupted"
    assert len(states(cluster, "moved")) == 2
    wait_until(lambda: states(cluster, "moved") == ["Interrupted", "Completed"])
    assert stored(cluster, "moved") == OBJECTS
    stopped.start()
    stopped.ready()
