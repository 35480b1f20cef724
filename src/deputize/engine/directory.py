"""The tenant's directory of names and other personal values, kept in the process within a memory bound (RED-4)."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy.ext.asyncio import AsyncConnection

from deputize.core.entity import Entity
from deputize.redaction.known import Directory, DirectoryRow
from deputize.redaction.tokens import is_name
from deputize.store import directory as queries
from deputize.store.directory import Mark

BYTES_A_RECORD = 550
"""Memory that one record takes in the index (11 MB for 20,000)."""


@dataclass(slots=True)
class _Kept:
    marks: dict[str, Mark]
    index: Directory
    records: int


@dataclass(slots=True)
class Directories:
    """Indexes of the tenants used last; a watermark query before each use tells whether one is still true."""

    entities: tuple[Entity, ...]
    megabytes: int = 64
    _kept: OrderedDict[str, _Kept] = field(default_factory=OrderedDict)

    async def of(self, conn: AsyncConnection, tenant: str) -> Directory:
        """The index of all records that the tenant has now."""
        marks = await queries.marks(conn, tenant, self.entities)
        kept = self._kept.get(tenant)
        if kept is None or kept.marks != marks:
            kept = await self._load(conn, tenant, marks)
            self._kept[tenant] = kept
            self._shrink()
        self._kept.move_to_end(tenant)
        return kept.index

    async def _load(self, conn: AsyncConnection, tenant: str, marks: dict[str, Mark]) -> _Kept:
        rows: list[DirectoryRow] = []
        for entity in self.entities:
            for ident, columns in await queries.records(conn, tenant, entity):
                rows.append(DirectoryRow(entity.kind, ident, values_of(entity, columns)))
        return _Kept(marks, Directory.build(rows), len(rows))

    def _shrink(self) -> None:
        """Forget the tenants that were not used for longest, but never the one just loaded."""
        room = self.megabytes * 1_000_000 // BYTES_A_RECORD
        while len(self._kept) > 1 and sum(kept.records for kept in self._kept.values()) > room:
            self._kept.popitem(last=False)


def values_of(entity: Entity, columns: Mapping[str, str | None]) -> tuple[tuple[str, str], ...]:
    """`(kind, value)` pairs of a record; the parts of a name stand together as one."""
    names = [value for name, value in columns.items() if value and is_name(entity.personal[name])]
    others = tuple(
        (entity.personal[name], value)
        for name, value in columns.items()
        if value and not is_name(entity.personal[name])
    )
    return ((("NAME", " ".join(names)),) if names else ()) + others
