"""Serves a game to browsers on this machine, and to no others.

Other pages in the same browser and other users of the machine can also reach a loopback address. So the path of every
request must begin with a secret token. Requests with another Host (DNS rebinding) or Origin are refused.
"""

from __future__ import annotations

import errno
import hmac
import os
import re
import secrets
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from baselines.system.files import parse_object
from cardwar_envs.drawing.svg import to_svg
from cardwar_play import lobby
from cardwar_play.host import DealRequest, GameRequest, Host, MoveRequest, Refused, TableRequest
from cardwar_play.one_file import PAGES
from cardwar_play.record import record_bytes
from cardwar_play.view import choices_found
from train.text.validation import one_line

LOOPBACK = "127.0.0.1"
# The page loads from this server only, and no other page can embed or read it.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
FILES = ("page.css", "parts.js", "page.js", "picking.js", "server.js", "lobby.js")
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
MAX_BODY = 4096
MAX_TEXT = 200

Answer = Callable[[Request], Awaitable[Response]]


class Guard:
    """Forwards requests that come from the page itself, and adds `HEADERS` to every response."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":  # startup and shutdown events of the server
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *own]
            await send(message)

        request = Request(scope)
        refusal = self._refusal(request)
        if refusal:
            await PlainTextResponse(refusal, status_code=403)(scope, receive, send_with_headers)
            return
        inside = {**scope, "path": scope["path"][len(self._token) + 1 :]}
        await self._app(inside, receive, send_with_headers)

    def _refusal(self, request: Request) -> str:
        """The reason for refusing a request; empty if it is accepted."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if host not in self._hosts:
            return "This server accepts requests from this machine only.\n"
        own = f"http://{host}"
        if origin != own and (origin is not None or request.method not in ("GET", "HEAD")):
            return "This request does not come from this server's page.\n"
        _, *parts = request.scope["path"].split("/")
        if len(parts) < 2 or not hmac.compare_digest(parts[0].encode(), self._token.encode()):
            return "Open the address that `cardwar play` printed.\n"
        return ""


class Site:
    """The endpoints of the server, whose paths follow the secret token."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def routes(self) -> list[Route]:
        host = self._host
        changes: dict[str, tuple[type[GameRequest], Callable[[Any], None]]] = {
            "play": (MoveRequest, host.move),
            "give-up": (GameRequest, host.give_up),
            "new": (DealRequest, host.new),
            "watch": (GameRequest, host.watch),
            "choose": (TableRequest, host.choose),
            "leave": (GameRequest, host.leave),
        }
        return [
            Route("/", self._file),
            *(Route(f"/{name}", self._file) for name in FILES),
            Route("/scene.svg", self._scene),
            Route("/cover.svg", self._cover),
            Route("/state", self._state),
            Route("/choices", self._choices),
            Route("/record.json", self._record),
            Route("/offers", self._offers),
            *(Route(f"/{path}", self._change(*change), methods=["POST"]) for path, change in changes.items()),
        ]

    async def _file(self, request: Request) -> Response:
        path = PAGES / (request.scope["path"].rpartition("/")[2] or "page.html")
        return Response(path.read_text(encoding="utf-8"), media_type=TYPES[path.suffix])

    async def _scene(self, request: Request) -> Response:
        trainer, text = self._host.trainer, request.query_params.get("step", "")
        step = int(text) if re.fullmatch("[0-9]{1,6}", text) else len(trainer.steps)
        scene = trainer.table.game.scene(trainer.revealed(min(step, len(trainer.steps))))
        return Response(to_svg(scene), media_type="image/svg+xml")

    async def _state(self, request: Request) -> Response:
        return JSONResponse(self._host.view())

    async def _choices(self, request: Request) -> Response:
        found = choices_found(self._host.trainer, request.query_params.get("text", "")[:MAX_TEXT])
        return JSONResponse({"game": self._host.game_id, "turn": self._host.turn, **found})

    async def _offers(self, request: Request) -> Response:
        found = await _of_game(request, lobby.offers)
        return JSONResponse([offer.entry for offer in found])

    async def _cover(self, request: Request) -> Response:
        return Response(to_svg(await _of_game(request, lobby.cover)), media_type="image/svg+xml")

    async def _record(self, request: Request) -> Response:
        if self._host.trainer.ending is None:
            raise Refused(409, "The record is available when the game has ended, because it shows hidden information.")
        attached = {"Content-Disposition": f'attachment; filename="game-{self._host.game_id}.json"'}
        return Response(record_bytes(self._host.trainer), media_type="application/json", headers=attached)

    def _change(self, kind: type[GameRequest], act: Callable[[Any], None]) -> Answer:
        """Returns a handler for requests of a type."""

        async def changed(request: Request) -> Response:
            try:
                act(await _content(request, kind))
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


async def _of_game(request: Request, found: Callable[[int], Any]) -> Any:
    """What is found for the game at the index in the request; a game of another package may be slow to import."""
    text = request.query_params.get("game", "")
    try:
        return await run_in_threadpool(found, int(text) if text.isascii() and text.isdigit() else -1)
    except (ValueError, IndexError) as error:
        raise Refused(400, str(error)) from None


async def _content(request: Request, kind: type[GameRequest]) -> Any:
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
