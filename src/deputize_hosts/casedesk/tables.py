"""All of the case desk's tables in one metadata: importing this file loads every module's rows."""

from deputize_hosts.casedesk.auth import models as auth
from deputize_hosts.casedesk.cases import models as cases
from deputize_hosts.casedesk.conflicts import models as conflicts
from deputize_hosts.casedesk.feedback import models as feedback
from deputize_hosts.casedesk.memory import models as memory
from deputize_hosts.casedesk.onboarding import models as onboarding
from deputize_hosts.casedesk.rows import Base
from deputize_hosts.casedesk.trail import models as trail

MODULES = (auth, cases, conflicts, memory, feedback, onboarding, trail)
"""In the order in which their tables refer to each other."""

metadata = Base.metadata
