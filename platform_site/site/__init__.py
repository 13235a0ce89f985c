"""The site: puts the apps together, serves them and maintains an installation.

Lower layers never import it.
"""
