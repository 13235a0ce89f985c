"""The application for a WSGI server other than `manage.py serve`, in one or several
processes; everything that outlives a request is in the database and data folder.

Other work of `serve` isn't done here: the startup sequence, the refusal of a second
server, scheduled jobs and other regular tasks, the orderly stop of imports, and the
limits of its own ASGI server for connections and bodies.
"""

from __future__ import annotations

import logging
import os

from django.core.wsgi import get_wsgi_application

from platform_site.settings.apps import set_up
from platform_site.settings.choice import choose
from platform_site.settings.data_folder import keep_private

keep_private()
choose(os.environ)
set_up()
application = get_wsgi_application()
logging.getLogger("platform.host").warning(
    "Served without 'manage.py serve': run 'manage.py startup' before each start. "
    "Scheduled jobs don't run, and nothing keeps a second server off the data folder."
)
