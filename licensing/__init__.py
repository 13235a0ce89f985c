"""What the installation's licence allows: a signed string in, a state and limits out.

Add ``licensing`` to ``INSTALLED_APPS``, describe the licence in the dictionary
``LICENSING``, and ask ``licensing.services``.
"""
