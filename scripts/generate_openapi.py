"""Write docs/reference/openapi.json: the whole interface as one OpenAPI document, for a person to read its changes.

Run `python scripts/generate_openapi.py` to write the file, with `--check` to compare only. It needs no database:
the routes are declared, and none of them is asked.
"""

import json
import sys
from typing import Annotated, Any

from fastapi import Depends, FastAPI

from deputize.core.actor import Actor
from deputize.surfaces.http.admin import build_admin_router
from deputize.surfaces.http.audit import build_audit
from deputize.surfaces.http.router import build_router
from scripts.generated import settle

TARGET = "docs/reference/openapi.json"


def document() -> dict[str, Any]:
    """Paths, parameters, bodies and answers of both routers, mounted at the root."""

    def nobody() -> Actor:
        raise AssertionError("the document was asked, not read")

    unused: Any = None
    app = FastAPI(title="Deputize", version="1")
    app.include_router(build_router(unused, nobody, None))
    admin = build_admin_router(unused, nobody)
    build_audit(admin, unused, Annotated[Actor, Depends(nobody)])
    app.include_router(admin)
    return app.openapi()


def rendered() -> str:
    """The file's text; paths and names in a fixed order, so that a difference is a change."""
    return json.dumps(document(), indent=1, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """0 where the file is, or now has been made, up to date."""
    return settle({TARGET: rendered()}, arguments)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
