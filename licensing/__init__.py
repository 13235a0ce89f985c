"""The licence of the installation: verifies a signed text and returns its state and
limits.

Add ``licensing`` to ``INSTALLED_APPS``, configure the dictionary ``LICENSING``, and use
``licensing.services``.
"""
