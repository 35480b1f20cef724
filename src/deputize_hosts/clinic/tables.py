"""All of the clinic's tables in one metadata: importing this file loads every module's rows."""

from deputize_hosts.clinic import numbering
from deputize_hosts.clinic.agenda import models as agenda
from deputize_hosts.clinic.auth import models as auth
from deputize_hosts.clinic.billing import models as billing
from deputize_hosts.clinic.budget import models as budget
from deputize_hosts.clinic.catalog import models as catalog
from deputize_hosts.clinic.patient_timeline import models as patient_timeline
from deputize_hosts.clinic.patients import models as patients
from deputize_hosts.clinic.payments import models as payments
from deputize_hosts.clinic.recalls import models as recalls
from deputize_hosts.clinic.rows import Base
from deputize_hosts.clinic.schedules import models as schedules

MODULES = (auth, patients, agenda, schedules, numbering, catalog, budget, billing, payments, recalls, patient_timeline)
"""In the order in which their tables refer to each other."""

metadata = Base.metadata
