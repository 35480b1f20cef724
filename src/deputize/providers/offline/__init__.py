"""The embedded planner: finds the meant tool and its arguments in the tools' own declarations (PROV-2)."""

from deputize.providers.offline.provider import OfflineProvider

__all__ = ["OfflineProvider"]
