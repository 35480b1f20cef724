"""A small dispatch desk in memory: own work orders; its tools declare what such a host's would."""

from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field

from deputize.core.marks import Prose, Public, Target, Text, Version, Yields
from deputize.core.tool import Args, Result
from tests.providers.offline.clinic_desk import plain
from tests.providers.offline.declared import Declared


class Priority(StrEnum):
    low = "low"
    medium = "medium"
    high = "high"
    urgent = "urgent"


class OrderStatus(StrEnum):
    pending = "pending"
    in_progress = "in_progress"
    done = "done"
    cancelled = "cancelled"


class ListMine(Args):
    status: OrderStatus | None = None
    priority: Priority | None = None
    page: Annotated[int, Field(ge=1)] = 1


class SearchMine(Args):
    query: Annotated[str, Field(description="Words of the number or the title")]


class OrderRow(Result):
    id: Annotated[int, Yields("work_order")]
    version: Annotated[int, Version()]
    number: Annotated[str, Public()]
    title: Annotated[str, Prose()]
    priority: Annotated[str, Public()]
    status: Annotated[str, Public()]
    due_date: date | None


class Orders(Result):
    many = "items"
    items: list[OrderRow]
    total: int


class Nothing(Args):
    pass


class Profile(Result):
    name: str
    email: str
    role: Annotated[str, Public()]


class Metrics(Result):
    by_status: dict[str, int]
    by_priority: dict[str, int]


class Create(Args):
    title: Annotated[str, Field(description="Short title", max_length=120)]
    description: Annotated[str, Text(), Field(max_length=4000)] = ""
    priority: Priority = Priority.medium
    due_date: Annotated[date | None, Field(description="Due date")] = None


class Update(Args):
    order: Annotated[int, Target("work_order")]
    title: Annotated[str | None, Field(description="New title")] = None
    description: Annotated[str | None, Text()] = None
    priority: Priority | None = None
    status: OrderStatus | None = None
    due_date: Annotated[date | None, Field(description="New due date")] = None


class Delete(Args):
    order: Annotated[int, Target("work_order")]


class OrderDesk:
    """Five orders; ids are whole numbers on purpose."""

    def __init__(self) -> None:
        titles = [
            ("WO-101", "Fuga de agua en la cocina", "high", "pending"),
            ("WO-102", "Revisar caldera del edificio B", "medium", "in_progress"),
            ("WO-103", "Broken window in meeting room", "low", "pending"),
            ("WO-104", "Ascensor parado", "urgent", "pending"),
            ("WO-105", "Fuga en el baño", "medium", "pending"),
        ]
        self.rows = [
            {"id": n, "version": 1, "number": w, "title": t, "priority": p, "status": s, "due_date": None}
            for n, (w, t, p, s) in enumerate(titles, 1)
        ]
        self.writes: list[tuple[str, dict[str, Any]]] = []

    def list_mine(self, a: Mapping[str, Any]) -> Any:
        fit = [r for r in self.rows if all(a.get(k) in (None, r[k]) for k in ("status", "priority"))]
        return {"items": fit, "total": len(fit)}

    def search(self, a: Mapping[str, Any]) -> Any:
        sought = plain(a["query"]).split()
        fit = [r for r in self.rows if all(w in plain(f"{r['number']} {r['title']}") for w in sought)]
        return {"items": fit, "total": len(fit)}

    def profile(self, a: Mapping[str, Any]) -> Any:
        return {"name": "Sam Reyes", "email": "sam@example.org", "role": "user"}

    def metrics(self, a: Mapping[str, Any]) -> Any:
        return {"by_status": {"pending": 4, "in_progress": 1}, "by_priority": {"urgent": 1, "high": 1}}

    def create(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("create_work_order", dict(a)))
        return {
            **self.rows[0],
            "id": 9,
            "number": "WO-109",
            "title": a["title"],
            "priority": a.get("priority", "medium"),
        }

    def update(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("update_work_order", dict(a)))
        row = next(r for r in self.rows if r["id"] == a["order"])
        return {**row, **{k: v for k, v in a.items() if k != "order"}}

    def delete(self, a: Mapping[str, Any]) -> Any:
        self.writes.append(("delete_work_order", dict(a)))
        return next(r for r in self.rows if r["id"] == a["order"])

    def tools(self) -> list[Declared]:
        return [
            Declared("list_my_work_orders", ListMine, Orders, self.list_mine, "The person's own work orders.",
                     es=("enséñame mis órdenes pendientes", "¿qué órdenes tengo?"),
                     en=("list my pending work orders", "which work orders do I have?")),
            Declared("search_my_work_orders", SearchMine, Orders, self.search, "Find own work orders by words.",
                     es=("busca la orden de la caldera", "encuentra la orden WO-102"),
                     en=("find the work order about the boiler", "search work order WO-102")),
            Declared("get_profile", Nothing, Profile, self.profile, "Who is signed in.",
                     es=("enséñame mi perfil",), en=("show my profile",)),
            Declared("admin_metrics", Nothing, Metrics, self.metrics, "Counts of all work orders.",
                     es=("dame las métricas de las órdenes",), en=("show the work order metrics",)),
            Declared("create_work_order", Create, Orders, self.create, "Open a new work order.", "write",
                     es=("crea una orden: revisar la caldera, prioridad alta",),
                     en=("create a work order to fix the boiler, high priority",)),
            Declared("update_work_order", Update, OrderRow, self.update,
                     "Change title, description, priority, status or due date.", "write",
                     es=("pon la orden de la caldera en urgente", "marca la orden WO-102 como hecha"),
                     en=("set the boiler order to urgent", "mark work order WO-102 as done")),
            Declared("delete_work_order", Delete, OrderRow, self.delete, "Delete a work order.", "destructive",
                     es=("borra la orden de la caldera",), en=("delete the boiler work order",)),
        ]  # fmt: skip
