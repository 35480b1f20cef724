"""What the copilot may do with work orders."""

from datetime import date
from typing import Annotated, ClassVar
from uuid import UUID

from pydantic import Field

from deputize import (
    Approve,
    Args,
    Context,
    Prose,
    Public,
    Result,
    Target,
    Text,
    Toolset,
    Trusted,
    Version,
    Yields,
    tool,
)
from deputize_hosts.workorders.orders import service
from deputize_hosts.workorders.orders.service import DESCRIPTION, OPEN, TITLE, OrderChange, OrderData, Priority, Status

INDEX = {"order_words": {"en": "Updates the search index", "es": "Actualiza el índice de búsqueda"}}
"""Derived from the order's row in the same transaction."""
COUNTER = {"order_counters": {"en": "Takes the next order number", "es": "Toma el número de orden siguiente"}}


class ListOrders(Args):
    status: Annotated[Status | None, Field(description="Only in this state; leave out for every open order")] = None
    priority: Priority | None = None
    number: Annotated[int | None, Field(ge=1, description="The order's number")] = None
    overdue: Annotated[bool, Field(description="Only those past their date")] = False
    page: Annotated[int, Field(ge=1, le=100)] = 1


class SearchOrders(Args):
    query: Annotated[str, Field(min_length=1, max_length=120, description="Words of the title or description")]
    page: Annotated[int, Field(ge=1, le=100)] = 1


class AllOrders(ListOrders):
    query: Annotated[str, Field(max_length=120, description="Number, words of the text, or the owner's name")] = ""


class Order(Result):
    id: Annotated[UUID, Yields("order")]
    version: Annotated[int, Version()]
    number: int
    title: Annotated[str, Text()]
    status: Annotated[str, Public()]
    priority: Annotated[str, Public()]
    due_on: date | None


class OrderList(Result):
    many: ClassVar[str | None] = "items"
    items: list[Order]
    total: int


class FoundOrder(Order):
    description: Annotated[str, Prose()]


class FoundOrders(Result):
    many: ClassVar[str | None] = "items"
    items: list[FoundOrder]
    total: int


class OwnedOrder(Order):
    owner: Annotated[str, Public(), Trusted()]


class OwnedOrders(Result):
    many: ClassVar[str | None] = "items"
    items: list[OwnedOrder]
    total: int


class Nothing(Args):
    """No arguments."""


class Figures(Result):
    total: int
    pending: int
    in_progress: int
    done: int
    cancelled: int
    open_low: int
    open_medium: int
    open_high: int
    open_urgent: int
    overdue: int
    flagged_for_dispatcher: int


class CreateOrder(Args):
    title: Annotated[str, Text(), Field(min_length=1, max_length=TITLE)]
    description: Annotated[str, Text(), Field(max_length=DESCRIPTION)] = ""
    priority: Priority = Priority.MEDIUM
    due_on: Annotated[date | None, Field(description="Due date")] = None


class UpdateOrder(Args):
    order: Annotated[UUID, Target("order")]
    title: Annotated[str | None, Text(), Field(min_length=1, max_length=TITLE)] = None
    description: Annotated[str | None, Text(), Field(max_length=DESCRIPTION)] = None
    priority: Priority | None = None
    status: Annotated[Status | None, Field(description="Only legal moves are accepted")] = None
    due_on: Annotated[date | None, Field(description="New due date")] = None


class DeleteOrder(Args):
    order: Annotated[UUID, Target("order")]


class Deleted(Result):
    number: int
    deleted: bool


@tool(
    permissions=["orders.read"],
    effect="read",
    title={"en": "List my work orders", "es": "Ver mis órdenes"},
    say={
        "en": [
            "list my work orders",
            "list my open orders",
            "what do I have to do?",
            "show my urgent orders",
            "which of my orders are overdue?",
            "show order 1042",
        ],
        "es": [
            "enséñame mis órdenes",
            "enséñame mis órdenes abiertas",
            "¿qué tengo que hacer?",
            "muéstrame mis órdenes urgentes",
            "¿cuáles de mis órdenes están vencidas?",
            "muéstrame la orden 1042",
        ],
    },
)
async def list_my_work_orders(ctx: Context, args: ListOrders) -> OrderList:
    """The person's own work orders, most pressing first; open ones unless a status or a number is given."""
    found = await service.list_mine(ctx.session, ctx.actor, _wanted(ctx, args), page=args.page, size=10)
    return OrderList(items=[Order.model_validate(one.order) for one in found.items], total=found.total)


@tool(
    permissions=["orders.read"],
    effect="read",
    title={"en": "Search my work orders", "es": "Buscar en mis órdenes"},
    say={
        "en": ["find my order about the boiler", "search my orders for lift", "what does my order about the leak say?"],
        "es": ["busca mi orden sobre la caldera", "busca ascensor en mis órdenes", "¿qué dice mi orden de la fuga?"],
    },
)
async def search_my_work_orders(ctx: Context, args: SearchOrders) -> FoundOrders:
    """The person's own work orders whose number, title or description has every word, with their descriptions."""
    found = await service.list_mine(ctx.session, ctx.actor, service.Wanted(query=args.query), page=args.page, size=10)
    items = [FoundOrder.model_validate(one.order) for one in found.items]
    return FoundOrders(items=items, total=found.total)


@tool(
    permissions=["orders.admin"],
    effect="read",
    title={"en": "List everybody's work orders", "es": "Ver las órdenes de todos"},
    say={
        "en": [
            "list all work orders",
            "list all urgent work orders",
            "show everybody's orders",
            "everybody's urgent orders",
            "which orders does Priya Shah have?",
        ],
        "es": [
            "enséñame todas las órdenes",
            "enséñame todas las órdenes urgentes",
            "muéstrame las órdenes de todos",
            "todas las órdenes vencidas",
            "¿qué órdenes tiene Iker Ruiz?",
        ],
    },
)
async def admin_list_work_orders(ctx: Context, args: AllOrders) -> OwnedOrders:
    """Everybody's work orders with their owners; open ones unless a status or a number is given."""
    found = await service.list_all(ctx.session, ctx.actor, _wanted(ctx, args, args.query), page=args.page, size=10)
    items = [OwnedOrder(**Order.model_validate(one.order).model_dump(), owner=one.owner) for one in found.items]
    return OwnedOrders(items=items, total=found.total)


@tool(
    permissions=["orders.admin"],
    effect="read",
    title={"en": "Figures of the desk", "es": "Cifras de la oficina"},
    say={
        "en": ["how many orders are open?", "how many are overdue?", "give me the metrics", "how are we doing today?"],
        "es": ["¿cuántas órdenes hay abiertas?", "¿cuántas están vencidas?", "dame las métricas", "¿cómo vamos hoy?"],
    },
)
async def admin_metrics(ctx: Context, args: Nothing) -> Figures:
    """How many orders there are by status, open ones by priority, overdue and flagged ones."""
    told = await service.metrics(ctx.session, ctx.actor, service.today(ctx.actor, ctx.now))
    return Figures(
        total=told.total,
        **told.by_status,
        **{f"open_{priority}": count for priority, count in told.open_by_priority.items()},
        overdue=told.late,
        flagged_for_dispatcher=told.flagged,
    )


@tool(
    permissions=["orders.write"],
    effect="write",
    title={"en": "Create a work order", "es": "Crear una orden"},
    say={
        "en": [
            "create a work order: the boiler in block B leaks",
            "new order: lift stuck",
            "report a fault: no light in the cellar",
            "create an urgent order: water in the lift shaft",
        ],
        "es": [
            "crea una orden: pierde agua la caldera del bloque B",
            "nueva orden: ascensor parado",
            "da un aviso: no hay luz en el sótano",
            "crea una orden urgente: agua en el hueco del ascensor",
        ],
    },
    no_target="A new order does not exist yet, so there is no object to name.",
    hidden=INDEX | COUNTER,
)
async def create_work_order(ctx: Context, args: CreateOrder) -> Order:
    """Create a work order of the person's own with title, description, priority and due date."""
    data = OrderData(args.title, args.description, args.priority, args.due_on)
    return Order.model_validate(await service.create(ctx.session, ctx.actor, data))


@tool(
    permissions=["orders.write"],
    effect="write",
    title={"en": "Change a work order", "es": "Cambiar una orden"},
    say={
        "en": [
            "set order 1042 to urgent",
            "make order 1042 high priority",
            "change the priority of order 1042 to low",
            "mark order 1042 as done",
            "cancel order 1042",
            "start work on order 1042",
            "finish order 1042",
            "rename order 1042 to lift stuck",
            "move the due date of order 1042 to Friday",
            "order 1042 is due on Friday",
        ],
        "es": [
            "pon la orden 1042 en urgente",
            "pon la orden 1042 en prioridad alta",
            "cambia la prioridad de la orden 1042 a baja",
            "marca la orden 1042 como hecha",
            "cancela la orden 1042",
            "pon la orden 1042 en curso",
            "empieza la orden 1042",
            "termina la orden 1042",
            "cambia el título de la orden 1042 a ascensor parado",
            "cambia la fecha de la orden 1042 al viernes",
            "la fecha de la orden 1042 es el viernes",
        ],
    },
    hidden=INDEX,
)
async def update_work_order(ctx: Context, args: UpdateOrder) -> Order:
    """Change an order's title, description, priority, status or due date. Left out means unchanged.

    Status moves: pending to in_progress or cancelled; in_progress to done, pending or cancelled.
    """
    change = OrderChange(args.title, args.description, args.priority, args.status, args.due_on)
    return Order.model_validate(await service.update(ctx.session, ctx.actor, args.order, _read_version(ctx), change))


@tool(
    permissions=["orders.write"],
    effect="destructive",
    title={"en": "Delete a work order", "es": "Eliminar una orden"},
    say={
        "en": ["delete order 1042", "remove this work order for good"],
        "es": ["elimina la orden 1042", "borra esta orden para siempre"],
    },
    approve=Approve(typed=True),
    hidden=INDEX,
)
async def delete_work_order(ctx: Context, args: DeleteOrder) -> Deleted:
    """Delete an order for good, with what triage suggested about it. To stop work on it, cancel it instead."""
    gone = await service.delete(ctx.session, ctx.actor, args.order, _read_version(ctx))
    return Deleted(number=gone.number, deleted=True)


def _read_version(ctx: Context) -> int:
    """The version that this run read; 0, which no order has, where there is none."""
    return int(ctx.version("order") or 0)


def _wanted(ctx: Context, args: ListOrders, query: str = "") -> service.Wanted:
    status = frozenset({args.status}) if args.status else frozenset() if args.number else frozenset(OPEN)
    late = service.today(ctx.actor, ctx.now) if args.overdue else None
    return service.Wanted(status, args.priority, args.number, late, query)


TOOLS = Toolset(
    "orders",
    [
        list_my_work_orders,
        search_my_work_orders,
        admin_list_work_orders,
        admin_metrics,
        create_work_order,
        update_work_order,
        delete_work_order,
    ],
)
