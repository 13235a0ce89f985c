"""The rows that migrations and seeding leave behind, put back after a test with transactions
of its own. Emptying all tables and seeding anew, as Django does, takes ten times as long."""

from __future__ import annotations

from django.db import connection, transaction


class SeededRows:
    """The rows of all tables, as they were when the test database was made."""

    def __init__(self):
        self._tables = connection.introspection.django_table_names(
            only_existing=True, include_views=False
        )
        self._seeded = {}
        with connection.cursor() as cursor:
            for table in self._with_rows(cursor):
                cursor.execute(f"SELECT * FROM {_quoted(table)}")
                columns = [column[0] for column in cursor.description]
                self._seeded[table] = columns, cursor.fetchall()

    def restore(self):
        """Bring all tables back to those rows, in one transaction."""
        # References are checked at its end, so the order of the tables doesn't matter.
        with transaction.atomic(), connection.cursor() as cursor:
            for table in self._with_rows(cursor):
                cursor.execute(f"DELETE FROM {_quoted(table)}")
            for table, (columns, rows) in self._seeded.items():
                names = ", ".join(map(_quoted, columns))
                row = f"({', '.join(['%s'] * len(columns))})"
                cursor.execute(
                    f"INSERT INTO {_quoted(table)} ({names}) "
                    f"VALUES {', '.join([row] * len(rows))}",
                    [value for values in rows for value in values],
                )

    def _with_rows(self, cursor):
        filled = (f"EXISTS (SELECT 1 FROM {_quoted(table)})" for table in self._tables)
        cursor.execute(f"SELECT {', '.join(filled)}")
        found = zip(self._tables, cursor.fetchone(), strict=True)
        return [table for table, is_filled in found if is_filled]


def _quoted(name):
    return connection.ops.quote_name(name)
