"""Serves a game to browsers on this machine, and to no others."""

from __future__ import annotations

import errno
import os
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from baselines.system.files import parse_object
from cardwar_envs.drawing.svg import to_svg
from cardwar_play import lobby
from cardwar_play.guard import LOOPBACK, Guard
from cardwar_play.host import Asked, AskedDeal, AskedMove, AskedTable, AskedWatch, Host, Refused
from cardwar_play.one_file import PAGES
from cardwar_play.picking import choices_found
from cardwar_play.record import record_bytes
from train.text.validation import one_line

PARTS = ("page.css", "parts.js", "page.js", "picking.js", "server.js", "lobby.js")
TYPES = {".css": "text/css", ".js": "text/javascript"}
MAX_BODY = 4096
MAX_TEXT = 200

Answer = Callable[[Request], Awaitable[Response]]


class Site:
    """The endpoints of the server, whose paths follow the secret token."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def routes(self) -> list[Route]:
        return [
            Route("/", self._page),
            *(Route(f"/{part}", self._part) for part in PARTS),
            Route("/scene.svg", self._scene),
            Route("/state", self._state),
            Route("/choices", self._choices),
            Route("/record.json", self._record),
            Route("/play", self._change(AskedMove, self._host.move), methods=["POST"]),
            Route("/give-up", self._change(Asked, self._host.give_up), methods=["POST"]),
            Route("/new", self._change(AskedDeal, self._host.new), methods=["POST"]),
            Route("/watch", self._change(AskedWatch, self._host.watch), methods=["POST"]),
            Route("/offers", self._offers),
            Route("/choose", self._change(AskedTable, self._host.choose), methods=["POST"]),
            Route("/leave", self._change(Asked, self._host.leave), methods=["POST"]),
        ]

    async def _page(self, request: Request) -> Response:
        return Response((PAGES / "page.html").read_text(encoding="utf-8"), media_type="text/html")

    async def _part(self, request: Request) -> Response:
        path = PAGES / request.scope["path"].rpartition("/")[2]
        return Response(path.read_text(encoding="utf-8"), media_type=TYPES[path.suffix])

    async def _scene(self, request: Request) -> Response:
        trainer = self._host.trainer
        scene = trainer.table.game.scene(trainer.revealed())
        return Response(to_svg(scene), media_type="image/svg+xml")

    async def _state(self, request: Request) -> Response:
        return JSONResponse(self._host.view())

    async def _choices(self, request: Request) -> Response:
        found = choices_found(self._host.trainer, request.query_params.get("text", "")[:MAX_TEXT])
        return JSONResponse({"game": self._host.game_id, "turn": self._host.turn, **found})

    async def _offers(self, request: Request) -> Response:
        place = request.query_params.get("game", "")
        try:
            number = int(place) if place.isascii() and place.isdigit() else -1
            # Games of other packages are imported now, which may be slow.
            found = await run_in_threadpool(lobby.offers, number)
            return JSONResponse([offer.entry for offer in found])
        except (ValueError, IndexError) as error:
            raise Refused(400, str(error)) from None

    async def _record(self, request: Request) -> Response:
        if self._host.trainer.ending is None:
            raise Refused(409, "The record is available when the game has ended, because it shows hidden information.")
        attached = {"Content-Disposition": f'attachment; filename="game-{self._host.game_id}.json"'}
        return Response(record_bytes(self._host.trainer), media_type="application/json", headers=attached)

    def _change(self, kind: type[Asked], act: Callable[[Any], None]) -> Answer:
        """Returns a handler for requests of a type."""

        async def changed(request: Request) -> Response:
            try:
                act(await _asked(request, kind))
            except (ValueError, IndexError) as error:  # for example, illegal moves
                raise Refused(400, str(error)) from None
            except OSError as error:
                said = f"The record cannot be written: {error}. Download it from this page instead."
                raise Refused(507, said) from None
            return JSONResponse(self._host.view())

        return changed

    async def refused(self, request: Request, error: Exception) -> Response:
        """Returns the response to a refused request, with the reason and the current view."""
        status = error.status if isinstance(error, Refused) else 500
        return JSONResponse({"error": str(error), "view": self._host.view()}, status_code=status)


async def _asked(request: Request, kind: type[Asked]) -> Any:
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(415, "The request must be JSON.")
    content = b""
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > MAX_BODY:
                raise Refused(413, f"The request is longer than {MAX_BODY} bytes.")
    except ClientDisconnect:  # the page was closed
        raise Refused(400, "The request is incomplete.") from None
    held = parse_object(content)
    with one_line():
        return kind.model_validate(held)


def make_app(host: Host, port: int, token: str) -> ASGIApp:
    """Creates the application; it accepts requests that name this port and whose paths begin with the secret token."""
    site = Site(host)
    return Guard(Starlette(routes=site.routes(), exception_handlers={Refused: site.refused}), port, token)


def new_server(app: ASGIApp) -> uvicorn.Server:
    """Creates a server that prints nothing; `run` starts it."""
    quiet: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
    return uvicorn.Server(uvicorn.Config(app, lifespan="off", ws="none", **quiet))


def serve(host: Host, listening: socket.socket, say: Callable[[str], None]) -> None:
    """Serves the page on a socket from `listening_at` until interrupted; `say` prints a line."""
    port, token = listening.getsockname()[1], secrets.token_urlsafe(24)
    say(f"Play at http://{LOOPBACK}:{port}/{token}/ (on this machine only). Ctrl-C stops the server.")
    try:
        new_server(make_app(host, port, token)).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        host.stop("broken off")


def listening_at(port: int) -> socket.socket:
    """Opens a socket on the loopback address; port 0 picks a free port. Raises ValueError if a port cannot be used."""
    if not 0 <= port < 1 << 16:
        raise ValueError(f"port ({port}) must be in 0..{(1 << 16) - 1}")
    listening = socket.socket()
    if os.name == "posix":  # on Windows this option would allow two programs to share the port
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen()
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"port {port} is taken; choose another with --port, or --port 0 for a free one") from None
        raise ValueError(f"port {port} cannot be used: {error.strerror}; choose another with --port") from None
    return listening
