"""The administration page: packages, uploads, progress, reports, history.

A project includes ``importer.admin_page.urls`` at the path of its admin site, before
the site's own paths, and has ``django_htmx`` among its apps for its script.
"""
