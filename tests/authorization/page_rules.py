"""Who may open which page: one rule for each method of each path of the site map.

A page of the administration leads to the sign-in whoever does not work there, before
anything else; the pages in `SIGNED` are for everybody who is signed in, and refuse.
"""

from __future__ import annotations

from tests.authorization.own_page_rules import HEALTH, OWN_PAGES
from tests.authorization.rules import ADMINISTRATOR, ANYBODY, NOBODY, STAFF, Rule

_READ, _SENT = "(GET|HEAD)", "(GET|HEAD|POST)"
_ALL = "(GET|HEAD|OPTIONS|POST|PUT|PATCH|DELETE)"
_OTHER = "(OPTIONS|PUT|PATCH|DELETE|BREW)"
_NAMES = (
    "account|bankaccount|constant|counterparty|currency|item|unitofmeasure|warehouse"
    "|salesorder|goodsreceipt|goodsissue|bankreceipt"
)
_OF_RECORDS = f"(catalogs|documents)/({_NAMES})/"
_RECORDS = f"(?P<app>catalogs|documents)/(?P<model>{_NAMES})"
_ROWS = f"(?P<app>(?!accounts)\\w+)/(?P<model>{_NAMES}|job|webhook)"
_WRITTEN = (
    f"(?P<app>catalogs|documents|scheduling|accounts|webhooks)"
    f"/(?P<model>{_NAMES}|job|user|role|apikey|webhook)"
)
_DOCUMENTS = (
    "(?P<app>documents)/(?P<model>salesorder|goodsreceipt|goodsissue|bankreceipt)"
)
# Written by the product itself, and by nobody else.
_KEPT = (
    "(?P<app>documents|changes|processing|scheduling|webhooks)/(?P<model>stockmovement"
    "|stockbalance|ledgerentry|changeevent|processorexecution|jobexecution|delivery)"
)
_ANY = "(?P<app>(?!r/)\\w+)/(?P<model>(?!processor/)\\w+)"
_ONE = "<path:object_id>"
_KEY = "<int:object_id>"
# Django's way to the form has the address of the page to read, which comes first.
_READ_FIRST = f"({_KEY}/((related|source)/)?|{_ONE}/)"
# Whoever may change a row may see it: Django's own rule.
_SEE = "{app}.view_{model} or {app}.change_{model}"
_ADD, _CHANGE = "{app}.add_{model}", "{app}.change_{model}"
_DELETE = "{app}.delete_{model}"
_AGREED = {"post": "yes"}
_ALONE = "(importer/importrun|demo/demoinstallation)"
_OF_JOBS = "scheduling.add_job or scheduling.view_job or scheduling.change_job"

OPEN = (
    Rule(f"{_ALL} (|favicon.ico|swagger/)", "ways to other pages", ANYBODY, 302),
    Rule("BREW (|favicon.ico|swagger/)", "no such method", ANYBODY, 405),
    Rule(f"{_READ} problems(/.*)?", "what refusals mean", ANYBODY, 200),
    Rule(f"(POST|{_OTHER}) problems(/.*)?", "only read", ANYBODY, 405),
    Rule(f"{_READ} swagger(/v1/.*)?", "the description of the API", ANYBODY, 200),
    Rule("OPTIONS swagger/v1/.*", "the description of the API", ANYBODY, 200),
    Rule("OPTIONS swagger", "only read", ANYBODY, 405),
    Rule("(POST|PUT|PATCH|DELETE|BREW) swagger(/v1/.*)?", "only read", ANYBODY, 405),
    # Only an API key opens it, and nobody here has one.
    Rule(".* mcp", "agents", NOBODY, 200, refused=401, unknown=401),
    Rule("(HEAD|OPTIONS|POST|PUT) admin/login/", "the sign-in", ANYBODY, 200),
    Rule("(PATCH|DELETE|BREW) admin/login/", "no such method", ANYBODY, 405),
    Rule(f"{_ALL} admin/processing/processor/", "a way", ANYBODY, 302),
    Rule("BREW admin/processing/processor/", "no such method", ANYBODY, 405),
)
# Of whoever is signed in, working in the administration or not; others sign in.
SIGNED = (
    *HEALTH,
    Rule(f"{_READ} admin/import/?", "imports", ADMINISTRATOR, 200),
    Rule("POST admin/import/?", "imports; what to do is missing", ADMINISTRATOR, 400),
    Rule(f"{_READ} admin/import/progress", "no run is asked for", ADMINISTRATOR, 200),
    Rule(f"{_READ} admin/\\^import/report.*", "another's run", ADMINISTRATOR, 200),
    Rule(
        f"{_READ} admin/import/failed.(json|csv)", "nothing failed", ADMINISTRATOR, 404
    ),
    Rule(f"{_SENT} admin/import/table", "tables", ADMINISTRATOR, 200),
    Rule(f"{_READ} admin/import/template", "of what is missing", ADMINISTRATOR, 404),
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
    Rule(
        f"{_OTHER} admin/(\\^?import(/.*)?|welcome/.*)", "no such method", ANYBODY, 405
    ),
    Rule(
        "POST admin/(import/progress|import/failed.(json|csv)|import/template|\\^import/report.*"
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
    *OWN_PAGES,
    Rule(f"{_READ} admin/notifications/", "one's own", STAFF, 200),
    Rule("POST admin/notifications/", "one's own are read", STAFF, 302),
    Rule(f"{_SENT} admin/password_change/", "one's own password", STAFF, 200),
    Rule(f"{_READ} admin/password_change/done/", "it is changed", STAFF, 200),
    Rule(f"{_READ} admin/autocomplete/", "of what? (see leaks)", NOBODY, 403),
    Rule(f"{_READ} admin/jsi18n/", "words for scripts", STAFF, 200),
    Rule(
        "POST admin/(password_change/done|autocomplete|jsi18n)/",
        "only read",
        STAFF,
        405,
    ),
    Rule(f"{_SENT} admin/r/.*", "no row has a page elsewhere", STAFF, 404),
    Rule(
        f"{_SENT} admin/\\^\\(\\?P<app_label>.*",
        "the catalogs, of those who see one",
        "catalogs.view_item or catalogs.change_item",
        200,
        refused=404,
    ),
    Rule(f"{_SENT} admin/\\(\\?P<url>.*", "there is no such page", STAFF, 404),
    # Lists of what people write, and the rows in them.
    Rule(f"{_READ} admin/{_WRITTEN}/", "seeing", _SEE, 200),
    Rule(f"POST admin/{_WRITTEN}/", "no action", _SEE, 200),
    Rule(f"{_SENT} admin/{_ROWS}/export.<str:kind>", "its file", _SEE, 200),
    Rule(
        f"POST admin/{_WRITTEN}/views/",
        "views of those who see the list; what to do is missing",
        _SEE,
        404,
    ),
    Rule(f"{_READ} admin/{_ANY}/(views|undo)/", "only sent", STAFF, 405),
    Rule(f"POST admin/{_ROWS}/undo/", "nothing was deleted", _CHANGE, 302),
    Rule(f"{_SENT} admin/{_WRITTEN}/add/", "adding", _ADD, 200),
    Rule(
        f"{_SENT} admin/{_WRITTEN}/{_ONE}/history/",
        "seeing",
        _SEE,
        200,
    ),
    Rule(f"{_READ} admin/{_RECORDS}/{_READ_FIRST}", "reading", _SEE, 200),
    Rule(f"POST admin/{_RECORDS}/{_READ_FIRST}", "only read", STAFF, 405),
    Rule(f"POST admin/{_RECORDS}/{_KEY}/restore/", "its right", _CHANGE, 302),
    Rule(f"{_READ} admin/{_RECORDS}/{_KEY}/restore/", "only sent", STAFF, 405),
    Rule(
        f"{_READ} admin/{_WRITTEN}/{_ONE}/change/",
        "seeing",
        _SEE,
        200,
    ),
    Rule(f"POST admin/{_ROWS}/{_ONE}/change/", "its right", _CHANGE, 200),
    Rule(
        "POST admin/accounts/(?P<model>user|role)/<path:object_id>/change/",
        "who may do everything is changed by administrators alone",
        ADMINISTRATOR,
        200,
    ),
    Rule(f"POST admin/accounts/apikey/{_ONE}/change/", "a key stays", NOBODY, 200),
    Rule(f"{_READ} admin/{_ROWS}/{_ONE}/delete/", "", _DELETE, 200),
    Rule(
        f"POST admin/{_ROWS}/{_ONE}/delete/",
        "the right to delete",
        _DELETE,
        302,
        _AGREED,
    ),
    Rule(
        f"{_READ} admin/accounts/(user|apikey)/{_ONE}/delete/",
        "an administrator, and the key of one: by administrators alone",
        ADMINISTRATOR,
        200,
    ),
    Rule(
        f"POST admin/accounts/(user|apikey)/{_ONE}/delete/",
        "as above",
        ADMINISTRATOR,
        302,
        _AGREED,
    ),
    Rule(
        f"{_READ} admin/accounts/role/{_ONE}/delete/",
        "a role that gives every right",
        ADMINISTRATOR,
        200,
    ),
    Rule(
        f"POST admin/accounts/role/{_ONE}/delete/",
        "as above",
        ADMINISTRATOR,
        302,
        _AGREED,
    ),
    Rule(
        f"{_SENT} admin/accounts/user/<id>/password/",
        "an administrator's password: by administrators alone",
        ADMINISTRATOR,
        200,
    ),
    # The buttons of documents and jobs.
    Rule(
        f"POST admin/{_DOCUMENTS}/{_ONE}/(?P<verb>post|unpost)/",
        "the right, and seeing the document",
        "documents.{verb}_{model}",
        302,
        also=(_SEE,),
    ),
    Rule(f"{_READ} admin/{_DOCUMENTS}/{_ONE}/(un)?post/", "only sent", STAFF, 405),
    Rule(f"{_READ} admin/{_DOCUMENTS}/{_KEY}/print/", "seeing it", _SEE, 200),
    Rule(f"POST admin/{_DOCUMENTS}/{_KEY}/print/", "only read", STAFF, 405),
    Rule(
        f"{_READ} admin/{_DOCUMENTS}/entry/",
        "entering such documents",
        f"{_ADD} or {_CHANGE}",
        200,
    ),
    Rule(f"POST admin/{_DOCUMENTS}/entry/", "only read", STAFF, 405),
    Rule("GET admin/scheduling/job/next-runs/", "a preview", _OF_JOBS, 200),
    Rule(f"{_READ} admin/scheduling/job/input/", "only sent", STAFF, 405),
    Rule(
        "POST admin/scheduling/job/input/",
        "the fields of a processor, of those who write jobs",
        "scheduling.add_job or scheduling.change_job",
        200,
    ),
    Rule(
        f"{_READ} admin/accounts/user/{_ONE}/(unlock|one-time-password)/",
        "only sent",
        STAFF,
        405,
    ),
    Rule(
        f"POST admin/accounts/user/{_ONE}/unlock/",
        "an administrator: by administrators alone",
        ADMINISTRATOR,
        302,
    ),
    Rule(
        f"POST admin/accounts/user/{_ONE}/one-time-password/",
        "as above",
        ADMINISTRATOR,
        200,
    ),
    Rule("(HEAD|POST) admin/scheduling/job/next-runs/", "only read", STAFF, 405),
    Rule(f"{_READ} admin/scheduling/job/{_ONE}/run/", "only sent", STAFF, 405),
    Rule(
        f"POST admin/scheduling/job/{_ONE}/run/",
        "who may not run it is told so, and nothing runs (see leaks)",
        "scheduling.change_job",
        302,
    ),
    # What the product writes, and nobody else.
    Rule(f"{_SENT} admin/{_KEPT}/(totals/)?", "seeing", "{app}.view_{model}", 200),
    Rule(f"POST admin/{_KEPT}/views/", "as above", "{app}.view_{model}", 404),
    Rule(f"{_READ} admin/{_KEPT}/{_ONE}/change/", "", "{app}.view_{model}", 200),
    Rule(f"POST admin/{_KEPT}/{_ONE}/change/", "nobody writes it", NOBODY, 200),
    Rule(f"{_SENT} admin/({_KEPT}|{_ALONE})/add/", "nobody writes it", NOBODY, 200),
    Rule(f"{_SENT} admin/({_KEPT}|{_ALONE})/{_ONE}/delete/", "as above", NOBODY, 200),
    Rule(f"{_SENT} admin/({_KEPT}|{_ALONE})/{_ONE}/history/", "none", STAFF, 404),
    Rule(f"{_SENT} admin/importer/importrun/", "the way to imports", STAFF, 302),
    Rule(f"POST admin/{_ALONE}/views/", "no list, no views", ADMINISTRATOR, 404),
    Rule(
        f"{_SENT} admin/importer/importrun/{_ONE}/change/",
        "the way to a report",
        STAFF,
        302,
    ),
    Rule(f"{_SENT} admin/demo/demoinstallation/", "no demo yet", ADMINISTRATOR, 200),
    Rule(
        f"{_READ} admin/demo/demoinstallation/{_ONE}/change/",
        "it is not there",
        ADMINISTRATOR,
        404,
    ),
    Rule(f"POST admin/demo/demoinstallation/{_ONE}/change/", "nobody", NOBODY, 200),
    Rule(f"{_SENT} admin/(?!{_OF_RECORDS}){_ANY}/{_ONE}/", "the way", STAFF, 302),
    Rule(
        f"{_OTHER} admin/(?!login/|logout/|\\^?import(/|$)|welcome/|processing/processor/).*",
        "no such method",
        STAFF,
        405,
    ),
)
RULES = (*OPEN, *SIGNED, *SIGNED_STRAY, *ADMINISTRATION)
