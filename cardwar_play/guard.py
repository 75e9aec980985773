"""Access control and response headers of the local server.

Other pages in the same browser and other users of the machine can also reach a loopback address. So the path of every
request must begin with a secret token. Requests with another Host (DNS rebinding) or Origin are refused.
"""

from __future__ import annotations

import hmac

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
