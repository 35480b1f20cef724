"""All of the desk's tables in one metadata: importing this file loads every module's rows."""

from deputize_hosts.workorders.auth import models as auth
from deputize_hosts.workorders.orders import models as orders
from deputize_hosts.workorders.rows import Base
from deputize_hosts.workorders.users import models as users

MODULES = (users, auth, orders)
"""In the order in which their tables refer to each other."""

metadata = Base.metadata
