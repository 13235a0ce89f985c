"""The stations of an import, in order. Nothing here uses Django.

run, window_importer, object_importer: the order of the stations for a package, a window
    and an object; no other module knows it
read: bytes to objects, checked and remembered (first reading)
survey: what each step would insert, for the checks of whole packages
locate: objects to marked rows · reread: the content of objects that aren't settled
load: one query per table for everything that a window needs
resolve: references and tokens to values · decide: the outcome and what to write
write: through the target, or only planned · report: results, compressed
memory, window, overlay: what is known of the package, of 1,000 objects, and of this run
ports: the interfaces to the outside · policies, values: small shared types
"""
