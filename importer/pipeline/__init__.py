"""The verbs of an import, in order. No Django in here.

run: the only module that knows the order of the stations
read: bytes to objects, checked and remembered (first reading)
survey: what each step would bring, for the checks of whole packages
locate: objects to marked rows · visit: the content of what is not settled
load: one query per table for what a window asks
resolve: references and tokens to values · decide: what shall happen to the row
write: through the target, or planned · report: results, kept small
memory, window, overlay: what is known of the package, of 1,000 objects, of this run
ports: what the pipeline asks of the outside · policies, values: small shared shapes.
"""
