"""The verbs of an import, in order. No Django in here.

run, window_importer, object_importer: the order of the stations, for a package, a window
    and an object; no other module knows it
read: bytes to objects, checked and remembered (first reading)
survey: what each step would bring, for the checks of whole packages
locate: objects to marked rows · reread: the content of what is not settled
load: one query per table for what a window asks
resolve: references and tokens to values · decide: what shall happen to the row
write: through the target, or planned · report: results, kept small
memory, window, overlay: what is known of the package, of 1,000 objects, of this run
ports: what the pipeline asks of the outside · policies, values: small shared shapes.
"""
