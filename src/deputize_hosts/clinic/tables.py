"""All of the clinic's tables in one metadata: importing this file loads every module's rows."""

from deputize_hosts.clinic.agenda import models as agenda
from deputize_hosts.clinic.auth import models as auth
from deputize_hosts.clinic.patients import models as patients
from deputize_hosts.clinic.rows import Base
from deputize_hosts.clinic.schedules import models as schedules

MODULES = (auth, patients, agenda, schedules)
"""In the order in which their tables refer to each other."""

metadata = Base.metadata
