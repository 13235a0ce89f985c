"""Who may open the search, the page of the own account, the reports, automation and the
page of the system."""

from __future__ import annotations

from tests.authorization.rules import ADMINISTRATOR, STAFF, Rule

_READ, _SENT = "(GET|HEAD)", "(GET|HEAD|POST)"
# Read by programs, so that who is not known is not sent to the sign-in.
HEALTH = (
    Rule(
        "(GET|HEAD|OPTIONS) health/details", "checks", ADMINISTRATOR, 200, unknown=401
    ),
    Rule(
        "(POST|PUT|PATCH|DELETE|BREW) health/details",
        "only read",
        ADMINISTRATOR,
        405,
        unknown=401,
    ),
)
OWN_PAGES = (
    Rule(f"{_READ} admin/system/(backups/)?", "the installation", ADMINISTRATOR, 200),
    Rule(f"{_READ} admin/system/backup/<str:name>/", "none", ADMINISTRATOR, 404),
    Rule("POST admin/system/backup/", "a backup", ADMINISTRATOR, 302),
    Rule(f"{_READ} admin/system/backup/", "only sent", STAFF, 405),
    Rule("POST admin/system/(|backups/|backup/<str:name>/)", "only read", STAFF, 405),
    Rule(
        f"{_SENT} admin/automation/",
        "jobs, or what one may execute",
        "scheduling.view_job or processing.ExecuteRecalculateCosts",
        200,
    ),
    Rule(f"{_READ} admin/search/", "what one may see", STAFF, 200),
    Rule("POST admin/search/", "only read", STAFF, 405),
    Rule(f"{_SENT} admin/account/", "one's own", STAFF, 200),
    Rule(f"{_READ} admin/account/.+", "only sent", STAFF, 405),
    Rule("POST admin/account/(preference|sign-out-elsewhere)/", "own", STAFF, 302),
    Rule("POST admin/account/keys/<int:pk>/revoke/", "none of one's own", STAFF, 404),
    Rule(
        f"{_SENT} admin/reports/stock-on-hand(/|\\.<str:kind>)?",
        "the movements of stock",
        "documents.view_stockmovement or documents.change_stockmovement",
        200,
    ),
    Rule(
        f"{_SENT} admin/reports/ledger-balances(/|\\.<str:kind>)?",
        "the entries of the ledger",
        "documents.view_ledgerentry or documents.change_ledgerentry",
        200,
    ),
)
