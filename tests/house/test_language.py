"""One name for one idea, and docstrings of classes and modules that say what these are."""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache

from tests.house.test_house import modules, shown

# Names that Django looks for, so that every app may have its own.
CONVENTIONS = {
    "Command",
    "Migration",
    "SessionStore",
    *("DatabaseWrapper", "DatabaseOperations", "SQLInsertCompiler"),
}
# A class or module is something; these are the verbs of one that does something.
IMPERATIVES = frozenset(
    word
    for words in (
        "Add Allow Answer Apply Ask Bring Build Call Carry Change Check Choose Collect",
        "Count Create Decide Declare Describe Do Draw End Explain Fetch Fill Find Follow",
        "Forget Gather Get Give Guard Have Hold Judge Keep Know Lead Lend Let Limit List",
        "Load Lock Look Make Mark Move Name Offer Open Order Pass Post Prepare Print Put",
        "Raise Read Record Refuse Register Remember Remove Render Report Resolve Return",
        "Run Save Say Search See Send Serve Set Show Sign Skip Sort Speak Start Stop",
        "Store Take Tell Test Translate Try Turn Use Wait Watch Write Yield",
    )
    for word in words.split()
)


@cache
def trees():
    return {
        shown(path): ast.parse(path.read_text(encoding="utf-8"))
        for path in modules()
        if not shown(path).startswith("tests/")
    }


def classes(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def begins_with_a_verb(node):
    words = (ast.get_docstring(node) or "").split()
    return bool(words) and words[0].rstrip(",.:;") in IMPERATIVES


def test_no_two_public_classes_have_one_name():
    places = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    several = {name: found for name, found in places.items() if len(found) > 1}
    assert {name: several[name] for name in several.keys() - CONVENTIONS} == {}


def test_docstrings_of_modules_and_classes_say_what_these_are():
    found = [
        f"{name}: {getattr(node, 'name', 'the module')}"
        for name, tree in trees().items()
        for node in [tree, *classes(tree)]
        if begins_with_a_verb(node)
    ]
    assert found == []
