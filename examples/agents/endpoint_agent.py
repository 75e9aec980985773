"""An agent that queries a language model at an OpenAI-compatible endpoint, using only the standard library.

    export OPENAI_BASE_URL=https://api.example.com/v1 OPENAI_API_KEY=... OPENAI_MODEL=...
    cardwar interview dice_poker --agent "-e OPENAI_BASE_URL -e OPENAI_API_KEY -e OPENAI_MODEL \
        python3 examples/agents/endpoint_agent.py" --out asked --agent-seconds 120

`-e` passes a variable to the agent, which otherwise gets only harmless ones. The key is sent only to the address in
OPENAI_BASE_URL: redirects are refused, certificates are verified, and plain http is allowed only for this machine.
OPENAI_TEMPERATURE (default 1) and OPENAI_SECONDS (default 60, per request) are optional; they need `-e`, too.
"""

import json
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

PROMPT = 2  # version of the text below
TRIES, PAUSE = 4, 1.0  # number of requests per answer, and seconds before the second request, doubled each time
MOST_BYTES = 1 << 20  # maximum size of an endpoint's answer
MOST_SENT = 60_000  # maximum size of the end of a reply that is passed on, in bytes
LOCAL = {"127.0.0.1", "localhost", "::1"}
WORDS = """{rules}

{state}

{moves} {what}
End your answer with one JSON object: {example}"""
ASKED = {
    "mix": ("Say with which probability you play each of them.", '{"probabilities": {"NAME OF A MOVE": 0.25, ...}}'),
    "any": ("Name the move that you play.", '{"move": "NAME OF A MOVE"}'),
}


class NoRedirects(HTTPRedirectHandler):
    """Refuses redirects, which would send the key to another address."""

    def redirect_request(self, *arguments):
        """Follows no redirect."""
        return None


def setting(name, default=None):
    """The value of an environment variable; exits if it is not set and has no default."""
    if (value := os.environ.get(name, default)) is None:
        sys.exit(f"set the environment variable {name}")
    return value


def prompt(query):
    """The prompt: the game's rules and state, the legal moves unless they are hidden, and the format of the answer."""
    if not query["state"]:
        sys.exit("this game is too large to describe what the player sees as text")
    names = ", ".join(move["name"] for move in query["moves"])
    moves = f"Your legal moves: {names}." if names else "Your legal moves follow from the rules."
    what, example = ASKED[query["ask"]]
    return WORDS.format(rules=query["rules"], state=query["state"], moves=moves, what=what, example=example)


def reply_to(text, base, key):
    """The model's reply; exits if the endpoint fails `TRIES` times."""
    content = {"model": setting("OPENAI_MODEL"), "temperature": float(setting("OPENAI_TEMPERATURE", "1"))}
    content["messages"] = [{"role": "user", "content": text}]
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    request = Request(f"{base}/chat/completions", json.dumps(content).encode(), headers)
    for number in range(TRIES):
        if number:
            time.sleep(PAUSE * 2 ** (number - 1))
        try:
            with build_opener(NoRedirects).open(request, timeout=float(setting("OPENAI_SECONDS", "60"))) as answer:
                body, cut = answer.read(MOST_BYTES + 1), answer.length
            if len(body) > MOST_BYTES:
                why = f"more than {MOST_BYTES:,} bytes"
                break
            if not cut:
                return str(json.loads(body)["choices"][0]["message"]["content"] or ""), content["temperature"]
            why = f"{cut:,} bytes are missing"
        except HTTPError as error:
            why = f"status {error.code}"
            if error.code < 500 and error.code != 429:
                break
        except (URLError, OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError) as error:
            why = type(error).__name__
    sys.exit(f"the endpoint gives no valid answer ({why})")


def answer(query, base, key):
    """The answer to a query: the model's reply, in which the suite finds the last JSON object, with `about` added."""
    text, temperature = reply_to(prompt(query), base, key)
    while len(json.dumps(text)) > MOST_SENT:
        text = text[len(text) // 10 + 1 :]
    return {"text": text, "about": {"model": setting("OPENAI_MODEL"), "temperature": temperature, "prompt": PROMPT}}


def main():
    """Reads a query per line and writes an answer per line, until the input ends."""
    base, key = setting("OPENAI_BASE_URL").rstrip("/"), setting("OPENAI_API_KEY")
    address = urlsplit(base)
    if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOCAL):
        sys.exit(f"OPENAI_BASE_URL ({base}) must begin with https://, or with http:// for this machine")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), base, key)), flush=True)


if __name__ == "__main__":
    main()
