"""An agent that asks a language model at any OpenAI-compatible endpoint. It imports the standard library only.

    export OPENAI_BASE_URL=https://api.example.com/v1 OPENAI_API_KEY=... OPENAI_MODEL=...
    cardwar interview dice_poker --agent "-e OPENAI_API_KEY python3 examples/agents/endpoint_agent.py" --out asked \
        --agent-seconds 120

Without `-e`, an agent does not see variables whose names look like secrets. The key is sent to that address only:
redirects are refused, certificates are verified, and plain http is for this machine alone. OPENAI_TEMPERATURE
(default 1) and OPENAI_SECONDS (default 60, per request) are optional.
"""

import json
import os
import re
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

PROMPT = 1  # changes with the text below
TRIES, PAUSE = 4, 1.0  # requests for an answer, and seconds before the second one, doubled each time
MOST_BYTES = 1 << 20  # of an endpoint's answer
LOCAL = {"127.0.0.1", "localhost", "::1"}
WORDS = """{rules}

{state}

Your legal moves: {moves}. You and your opponent move at the same time, so {what}.
Answer with one JSON object and nothing else: {example}"""
ASKED = {
    "mix": ("say with which probability you play each of them", '{{"probabilities": {{"{first}": 0.5, ...}}}}'),
    "any": ("name the move that you play", '{{"move": "{first}"}}'),
}


class NoRedirects(HTTPRedirectHandler):
    """A redirect would take the key to another address."""

    def redirect_request(self, *arguments):
        """Follows none."""
        return None


def setting(name, default=None):
    """An environment variable; the program ends without it."""
    if (value := os.environ.get(name, default)) is None:
        sys.exit(f"set {name}")
    return value


def prompt(query):
    """The question in words: the game's own texts, and how to answer."""
    moves = [move["name"] for move in query["moves"]]
    what, example = ASKED[query["ask"]]
    example = example.format(first=moves[0])
    return WORDS.format(rules=query["rules"], state=query["state"], moves=", ".join(moves), what=what, example=example)


def reply_to(text, base, key):
    """What the model says; the program ends if the endpoint fails again and again."""
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
    """The line that answers a query: the last JSON object that the model writes, as it is."""
    text, temperature = reply_to(prompt(query), base, key)
    found = re.findall(r"\{(?:[^{}]|\{[^{}]*\})*\}", text)
    about = {"model": setting("OPENAI_MODEL"), "temperature": temperature, "prompt": PROMPT}
    try:
        return {**json.loads(found[-1]), "about": about}
    except (IndexError, ValueError, TypeError, RecursionError):
        return {"move": f"no JSON: {text[:200]}"}


def main():
    """Answers a line with a line until there are no more."""
    base, key = setting("OPENAI_BASE_URL").rstrip("/"), setting("OPENAI_API_KEY")
    address = urlsplit(base)
    if address.scheme != "https" and not (address.scheme == "http" and address.hostname in LOCAL):
        sys.exit("OPENAI_BASE_URL must begin with https://")
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), base, key)), flush=True)


if __name__ == "__main__":
    main()
