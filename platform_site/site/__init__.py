"""The site: what assembles the apps, serves them and looks after an installation.

Nobody below imports it.
"""
