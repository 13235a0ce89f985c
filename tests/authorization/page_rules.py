"""Who may open which page: one rule for each method of each path of the site map.

A page of the administration leads to the sign-in whoever does not work there, before
anything else; the pages in `SIGNED` are for everybody who is signed in, and refuse.
"""

from __future__ import annotations

from tests.authorization.rules import ADMINISTRATOR, ANYBODY, NOBODY, STAFF, Rule

_READ, _SENT = "(GET|HEAD)", "(GET|HEAD|POST)"
_ALL = "(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)"
_OTHER = "(OPTIONS|PUT|PATCH|DELETE|BREW)"
_RECORDS = (
    "(?P<app>catalogs|documents)/(?P<model>account|bankaccount|constant|counterparty"
    "|currency|item|unitofmeasure|warehouse|salesorder|goodsreceipt|goodsissue"
    "|bankreceipt)"
)
_DOCUMENTS = (
    "(?P<app>documents)/(?P<model>salesorder|goodsreceipt|goodsissue|bankreceipt)"
)
_ACCOUNTS = "(?P<app>accounts)/(?P<model>user|role|apikey)"
_JOBS = "(?P<app>scheduling)/(?P<model>job)"
# Written by the product itself, and by nobody else.
_KEPT = (
    "(?P<app>documents|changes|processing|scheduling)/(?P<model>stockmovement"
    "|stockbalance|ledgerentry|changeevent|processorexecution|jobexecution)"
)
_ANY = "(?P<app>(?!r/)\\w+)/(?P<model>(?!processor/)\\w+)"
_ONE = "<path:object_id>"
# Whoever may change a row may see it: Django's own rule.
_SEE = "{app}.view_{model} or {app}.change_{model}"
_ADD, _CHANGE = "{app}.add_{model}", "{app}.change_{model}"
_DELETE = "{app}.delete_{model}"
_AGREED = {"post": "yes"}

OPEN = (
    Rule(f"{_ALL} (|favicon.ico|swagger/)", "ways to other pages", ANYBODY, 302),
    Rule("BREW (|favicon.ico|swagger/)", "no such method", ANYBODY, 405),
    Rule(f"{_READ} problems(/.*)?", "what refusals mean", ANYBODY, 200),
    Rule(f"(POST|{_OTHER}) problems(/.*)?", "only read", ANYBODY, 405),
    Rule(f"{_READ} swagger(/v1/.*)?", "the description of the API", ANYBODY, 200),
    Rule("OPTIONS swagger/v1/.*", "the description of the API", ANYBODY, 200),
    Rule("OPTIONS swagger", "only read", ANYBODY, 405),
    Rule("(POST|PUT|PATCH|DELETE|BREW) swagger(/v1/.*)?", "only read", ANYBODY, 405),
    Rule("(HEAD|OPTIONS|POST|PUT) admin/login/", "the sign-in", ANYBODY, 200),
    Rule("(PATCH|DELETE|BREW) admin/login/", "no such method", ANYBODY, 405),
    Rule(f"{_ALL} admin/processing/processor/", "a way", ANYBODY, 302),
    Rule("BREW admin/processing/processor/", "no such method", ANYBODY, 405),
)
# Of whoever is signed in, working in the administration or not; others sign in.
SIGNED = (
    Rule(f"{_READ} admin/import/?", "imports", ADMINISTRATOR, 200),
    Rule("POST admin/import/?", "imports; what to do is missing", ADMINISTRATOR, 400),
    Rule(f"{_READ} admin/import/progress", "no run is asked for", ADMINISTRATOR, 200),
    Rule(f"{_READ} admin/\\^import/report.*", "another's run", ADMINISTRATOR, 200),
    Rule(
        f"{_READ} admin/welcome/((agreement|password|company|ready)?)",
        "the wizard, which is over",
        ADMINISTRATOR,
        302,
    ),
    Rule(
        "POST admin/welcome/(agreement|password|company|later)",
        "the wizard, which is over",
        ADMINISTRATOR,
        302,
    ),
    Rule(f"{_READ} admin/welcome/company/progress", "the wizard", ADMINISTRATOR, 200),
)
# Methods they have not are refused before anybody is asked for.
SIGNED_STRAY = (
    Rule(f"{_OTHER} admin/(\\^?import|welcome/).*", "no such method", ANYBODY, 405),
    Rule(
        "POST admin/(import/progress|\\^import/report.*"
        "|welcome/(|ready|company/progress))",
        "only read",
        ANYBODY,
        405,
    ),
    Rule(f"{_READ} admin/welcome/later", "only sent", ANYBODY, 405),
)
ADMINISTRATION = (
    Rule("GET admin/login/", "who is in is led on", STAFF, 302, unknown=200),
    Rule("POST admin/logout/", "the end of a session", STAFF, 200, unknown=302),
    Rule(f"{_READ} admin/logout/", "only sent", STAFF, 405, unknown=302),
    Rule(f"{_OTHER} admin/logout/", "only sent", STAFF, 405, unknown=302),
    Rule(f"{_SENT} admin/", "the start page: what is theirs", STAFF, 200),
    Rule(f"{_SENT} admin/\\^processors/\\?\\$", "those one may execute", STAFF, 200),
    Rule(
        f"{_SENT} admin/\\^processors/\\(.*",
        "the right to execute it",
        "processing.ExecuteRecalculateCosts",
        200,
    ),
    Rule(f"{_SENT} admin/password_change/(done/)?", "one's own password", STAFF, 200),
    Rule(f"{_SENT} admin/autocomplete/", "of what? (see leaks)", NOBODY, 403),
    Rule(f"{_SENT} admin/jsi18n/", "words for scripts", STAFF, 200),
    Rule(f"{_SENT} admin/r/.*", "no row has a page elsewhere", STAFF, 404),
    Rule(
        f"{_SENT} admin/\\^\\(\\?P<app_label>.*",
        "the catalogs, of those who see one",
        "catalogs.view_item or catalogs.change_item",
        200,
        refused=404,
    ),
    Rule(f"{_SENT} admin/\\(\\?P<url>.*", "there is no such page", STAFF, 404),
    # Lists, and the rows in them.
    Rule(f"{_SENT} admin/({_RECORDS})/", "the right to view or change", _SEE, 200),
    Rule(f"{_SENT} admin/({_ACCOUNTS}|{{jobs}})/", "as above", _SEE, 200),
)
