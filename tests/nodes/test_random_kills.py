"""Nodes die at random moments, again and again: nothing is lost, done twice or stuck.

``DRILL_KILLS=100`` sets how many are killed, in the suite none.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from email import message_from_string, policy

import pytest

from tests.drill import times
from tests.environment import asked
from tests.journeys.installation import require_server, wait_until
from tests.journeys.test_watched_folder import SAVE
from tests.nodes.cluster import cluster_in
from tests.nodes.test_imports import package
from tests.notifications.mail_server import running

pytestmark = [
    pytest.mark.process,
    pytest.mark.drill,
    pytest.mark.skipif(sys.platform != "linux", reason="It reads /proc."),
]
KILLS = int(asked("DRILL_KILLS") or times(few=0, many=100))
OBJECTS, ROWS, EVERY = 400, 50, 10


class Drill:
    """What the nodes have to do, and what becomes of it."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.packages = {}
        self.files = []
        self.failing = []
        self.skipped = set()
        self.frozen = 0

    @property
    def alive(self):
        return [n for n in self.cluster.nodes if n.served and n.process.poll() is None]

    def begin(self):
        """Have a source watch a folder, and a schedule fire."""
        done = self.cluster.installation.command("shell", "-c", SAVE)
        assert done.returncode == 0, done.stderr
        self.cluster.rows(
            "UPDATE accounts_user SET email = 'a@example.com' WHERE username = 'admin';"
            "UPDATE scheduling_job SET cron = '', interval_seconds = 3"
        )
        self.cluster.schedule("often", "RecalculateCosts", EVERY)

    def order(self, number):
        """Order an import, put a table into the folder, and add a job that fails."""
        name = f"p{number}"
        node = random.choice([one for one in self.alive if one.is_ready])
        content = package(name, OBJECTS)
        self.packages[name] = (node.upload(content, queue="true"), content)
        file = self.cluster.folder / "inbox" / "units" / f"f{number}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = (f"f{number}-{row};Unit {row}\n" for row in range(ROWS))
        file.write_text("Code;Name\n" + "".join(rows), encoding="utf-8")
        then = time.time() - 600
        os.utime(file, (then, then))
        self.files.append(f"f{number}")
        self.failing.append(f"fails {number}")
        # Its first failure is told by mail, and the next ones aren't for now.
        self.cluster.schedule(self.failing[-1], "NoSuchProcessor", 3600 * 24)
        self.cluster.rows(
            "UPDATE scheduling_job SET since = now() - interval '86399 seconds'"
            f" WHERE name = '{self.failing[-1]}'"
        )

    def kill_one(self):
        """Kill a node, often the one that imports; sometimes it is frozen before."""
        time.sleep(random.uniform(0.1, 3))
        importing = self.cluster.importing()
        node = random.choice(self.alive)
        if importing is not None and random.random() < 0.6:
            node = importing
        if random.random() < 0.15:
            self.frozen += 1
            node.kill(signal.SIGSTOP)
            time.sleep(random.uniform(1, 8))
        node.kill()
        self.skipped |= node.skipped()
        node.start()
        if len([one for one in self.alive if one.is_ready]) < 2:
            node.ready()

    def finish(self):
        """Wait until nothing is left to do; return what a person had to repeat."""
        for node in self.cluster.nodes:
            if not node.is_ready:
                node.ready()
        told = self.cluster.nodes[0]
        unfinished = (
            "SELECT 1 FROM importer_importrun WHERE status IN ('Queued', 'Running')"
        )
        repeated = []
        wait_until(lambda: not self.cluster.rows(unfinished))
        for name, (_run, content) in self.packages.items():
            if self.count(name) != OBJECTS:
                repeated.append(name)
                told.upload(content, queue="true")
        folder = self.cluster.folder / "inbox" / "units"
        wait_until(lambda: not [one for one in folder.iterdir() if one.is_file()])
        wait_until(lambda: not self.cluster.rows(unfinished))
        self.cluster.rows("UPDATE scheduling_job SET enabled = false")
        wait_until(
            lambda: (
                not self.cluster.rows(
                    "SELECT 1 FROM scheduling_jobexecution"
                    " WHERE status IN ('Waiting', 'Running')"
                )
            )
        )
        wait_until(lambda: not self.cluster.rows("SELECT 1 FROM procrastinate_jobs"))
        return repeated

    def count(self, name):
        query = (
            f"SELECT count(*) FROM catalogs_unitofmeasure WHERE code LIKE '{name}-%'"
        )
        return self.cluster.rows(query)[0][0]


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def subjects(server):
    """Return what the messages are about."""
    parsed = (
        message_from_string(one, policy=policy.default) for one in server.messages
    )
    return "\n".join(one["Subject"] for one in parsed)


@pytest.mark.skipif(not KILLS, reason="It is a drill.")
def test_nothing_is_lost_or_done_twice(tmp_path):
    require_server()
    with running() as server:
        mail = {
            "Mail__Host": "127.0.0.1",
            "Mail__Port": str(server.server_address[1]),
            "Mail__Encryption": "none",
            "Mail__From": "platform@example.com",
            "Platform__Jobs__ExecutionsToKeep": "0",
        }
        with cluster_in(tmp_path, **mail) as cluster:
            drill = Drill(cluster)
            drill.begin()
            for number in range(KILLS):
                if number % 2 == 0:
                    drill.order(number)
                drill.kill_one()
                say(f"{time.strftime('%X')} kill {number + 1}")
            repeated = drill.finish()
            fired = check(drill, server)
            ends = cluster.rows(
                "SELECT status, count(*) FROM importer_importrun GROUP BY status"
            )
            say(
                f"{KILLS} kills, {drill.frozen} of them frozen before;"
                f" {len(drill.packages)} packages, runs {dict(ends)},"
                f" repeated by hand {len(repeated)}; {len(drill.files)} files;"
                f" schedule fired {fired} times, {len(drill.skipped)} skipped;"
                f" {len(drill.failing)} failures, {len(server.messages)} messages"
            )


def check(drill, server):
    cluster = drill.cluster
    # The content is that of packages and files, each object once.
    for name in drill.packages:
        assert drill.count(name) == OBJECTS, name
    for name in drill.files:
        assert drill.count(name) == ROWS, name
    done = cluster.folder / "inbox" / "units" / "done"
    tables = [one.name for one in done.iterdir() if ".report." not in one.name]
    assert sorted(name.rpartition("Z-")[2] for name in tables) == sorted(
        f"{name}.csv" for name in drill.files
    )
    ((objects, events),) = cluster.rows(
        "SELECT (SELECT count(*) FROM catalogs_unitofmeasure"
        " WHERE code ~ '^[pf][0-9]+-'), (SELECT count(*) FROM changes_changeevent"
        " WHERE model = 'UnitsOfMeasure')"
    )
    assert objects == events
    # Each time of the schedule is there once, unless the job was still running then.
    fired = cluster.check_schedule(EVERY, drill.skipped)
    # Every failure was told, at least once.
    unsent = "SELECT 1 FROM notifications_outgoingmail WHERE sent_at IS NULL"
    wait_until(lambda: not cluster.rows(unsent))
    told = subjects(server)
    assert not [name for name in drill.failing if f"“{name}”" not in told]
    # Every report can be read on every node, and none is still going on.
    runs = [run for (run,) in cluster.rows("SELECT run_id FROM importer_importrun")]
    for node in cluster.nodes:
        states = {node.run(run)["status"] for run in runs}
        assert states <= {"Completed", "Interrupted", "Failed"}
    # No lock is left: the next import begins at once.
    assert cluster.importing() is None
    run = cluster.nodes[-1].upload(package("last", 5))
    wait_until(lambda: cluster.nodes[0].run(run)["status"] == "Completed")
    return fired
