"""The nouns of an import: what a package is made of. No Django in here.

shapes: the values · json_stream: text to JSON values · paths · tokens · references
hashing · fields: one description of a target's properties · kinds: step kinds
check, verdicts: the compiled check of one object · schema: the JSON Schema of all packages.
"""
