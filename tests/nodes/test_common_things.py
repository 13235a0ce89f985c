"""What several nodes share: schedules, counters, keys, folders and the version."""

from __future__ import annotations

import json
import signal
import sys

import pytest

from tests.journeys.installation import wait_until
from tests.nodes.cluster import SECRET, TICKING
from tests.site.host.processes import LIMIT_SECONDS, command, environment

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc."),
]
EVERY = 2


# Of this job alone: the nodes have built-in ones, which may be due just now.
OFTEN = (
    "scheduling_jobexecution WHERE job_id ="
    " (SELECT id FROM scheduling_job WHERE name = 'often')"
)


def fired(cluster):
    """Return how many executions the job “often” has."""
    return cluster.rows(f"SELECT count(*) FROM {OFTEN}")[0][0]


def test_a_schedule_fires_once_also_where_the_node_that_watches_it_dies(cluster):
    cluster.schedule("often", "RecalculateCosts", EVERY)
    wait_until(lambda: fired(cluster) >= 3)
    dead = cluster.holder(TICKING)
    dead.kill(signal.SIGKILL)
    count = fired(cluster)
    wait_until(lambda: fired(cluster) >= count + 4)
    cluster.rows("UPDATE scheduling_job SET enabled = false")
    rows = cluster.rows(f"SELECT due_at FROM {OFTEN} ORDER BY due_at")
    seconds = [round((due - rows[0][0]).total_seconds()) for (due,) in rows]
    # Times may be left out where the job is late, but none comes twice.
    assert len(set(seconds)) == len(seconds)
    assert {one % EVERY for one in seconds} == {0}
    unfinished = f"SELECT id FROM {OFTEN} AND status IN ('Waiting', 'Running')"
    wait_until(lambda: not cluster.rows(unfinished))
    dead.start()
    dead.ready()


def test_a_processor_requested_from_one_node_is_read_from_the_others(cluster):
    first, *others = cluster.nodes
    kind = {"Content-Type": "application/json", "Prefer": "respond-async"}
    status, asked = first.call("POST", "Processors/RecalculateCosts", b"{}", **kind)
    assert status == 202, asked
    for node in others:
        wait_until(
            lambda: (
                node.call("GET", f"Executions/{asked['id']}")[1]["status"]  # noqa: B023
                == "Completed"
            )
        )


def test_wrong_passwords_are_counted_on_all_nodes_together(cluster):
    body = json.dumps({"userName": "somebody", "password": "wrong"}).encode()
    kind = {"Content-Type": "application/json"}
    answers = [
        cluster.nodes[n % 3].call("POST", "Auth/login", body, **kind)[0]
        for n in range(30)
    ]
    assert 429 in answers
    # From then on every node refuses, though each has seen a third of them.
    assert answers[-3:] == [429] * 3


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"JwtOptions__Secret": "x" * 40}, "another signing key"),
        ({"BlobStorage__LocalDiskRootPath": "elsewhere"}, "in another place"),
        ({"Platform__Nodes": "one"}, "Platform:Nodes=many"),
    ],
)
def test_a_node_that_does_not_fit_is_refused(cluster, tmp_path, settings, words):
    env = environment(tmp_path / "data", **{**cluster.settings, **settings})
    ended = command("startup", env=env)
    assert ended.returncode == 1, ended.stderr
    told = ended.stderr.splitlines()[-1]
    assert words in told
    assert SECRET not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_nodes_of_an_old_version_end_where_a_newer_one_has_migrated(cluster):
    cluster.rows(
        "INSERT INTO django_migrations (app, name, applied)"
        " VALUES ('catalogs', '9999_newer', now())"
    )
    for node in cluster.nodes:
        assert node.process.wait(timeout=LIMIT_SECONDS) == 0
        assert "catalogs.9999_newer" in node.log
        assert "start the new version here" in node.log
        node.process.stdout.close()
    # A node that is started again is refused until its version is the new one.
    env = environment(cluster.nodes[0].data, **cluster.settings)
    assert "9999_newer" in command("startup", env=env).stderr
    cluster.rows("DELETE FROM django_migrations WHERE name = '9999_newer'")
    cluster.start()
