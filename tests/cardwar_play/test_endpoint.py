"""The example agent for language models, against an endpoint on this machine: no answer is lost, no key is shown."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from command import run

import baselines
from cardwar_envs import make_game
from train.policies.agent_process import SECONDS_VARIABLE

AGENT = Path(__file__).parents[2] / "examples" / "agents" / "endpoint_agent.py"
KEY = "sk-very-secret"


class Endpoint(BaseHTTPRequestHandler):
    """Plays the first legal move of the prompt, unless the list of faults has something for this request."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.headers["Authorization"] == f"Bearer {KEY}"
        self.server.asked.append(body)
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if fault == "stall":
            self.server.closing.wait(5)
        if isinstance(fault, int):
            self.send_response(fault)
            self.send_header("Location", "http://localhost:1/elsewhere")
            self.end_headers()
            return
        first = body["messages"][0]["content"].split("legal moves: ")[1].split(",")[0].split(". Say")[0]
        text = fault or f"I think. {json.dumps({'probabilities': {first: 1.0}})}"
        self.send_response(200)
        if fault == "cut":
            self.send_header("Content-Length", "9999")
        self.end_headers()
        if isinstance(fault, dict) and "content" not in fault:
            self.wfile.write(fault.get("body", b""))
            while self.server.sent < fault.get("size", 0):
                self.server.sent += self.wfile.write(b" " * (1 << 16))
            return
        text = fault["content"] if isinstance(fault, dict) else text
        self.wfile.write(json.dumps({"choices": [{"message": {"content": text}}]}).encode())

    def log_message(self, *_):
        pass


@pytest.fixture
def endpoint(monkeypatch, tmp_path_factory):
    impatient = tmp_path_factory.mktemp("agent") / AGENT.name
    impatient.write_text(AGENT.read_text().replace("PAUSE = 4, 1.0", "PAUSE = 4, 0.01"))
    monkeypatch.setitem(globals(), "AGENT", impatient)
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        server.asked, server.faults, server.sent, server.closing = [], [], 0, threading.Event()
        server.handle_error = lambda *_: None  # of an agent that hangs up
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_MODEL", "a-model")
        monkeypatch.setenv("OPENAI_TEMPERATURE", "0.7")
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


def ask(capsys, out):
    names = " ".join(f"-e OPENAI_{name}" for name in ("BASE_URL", "API_KEY", "MODEL", "TEMPERATURE"))
    agent = f"{names} {sys.executable} -S {AGENT}"
    call = ["interview", "jujitsu", "num_cards=2", "--agent", agent, "--out", str(out), "--json"]
    code, printed, err = run(capsys, *call)
    shown = printed + err + "".join(path.read_text() for path in out.iterdir())
    assert KEY not in shown
    return code, json.loads(printed) if code == 0 else err


ODD = {"body": b"[" * 200_000}, {"content": 5}, '{"move": ' + "[" * 100_000 + "}"


@pytest.mark.parametrize("faults", [[500, "I would rather not.", "cut", '{"move": "9"}'], ODD], ids=["failed", "odd"])
def test_what_fails_is_asked_again_and_nothing_is_lost(capsys, tmp_path, endpoint, faults):
    endpoint.faults = list(faults)
    code, found = ask(capsys, tmp_path)
    game = make_game("jujitsu", num_cards=2)
    assert (code, found["invalid_answers"]) == (0, 2)
    assert found["about"] == [{"model": "a-model", "temperature": 0.7, "prompt": 2}]
    assert found["exploitability"] == baselines.exploitability(game, "lowest_card")
    assert len(endpoint.asked) == found["answers"] + len(faults)
    assert {each["temperature"] for each in endpoint.asked} == {0.7}
    assert game.how_to_play in endpoint.asked[0]["messages"][0]["content"]


def test_an_endpoint_that_stalls_or_leads_elsewhere_ends_it_and_it_goes_on(capsys, tmp_path, monkeypatch, endpoint):
    endpoint.faults = ["", 302]
    code, said = ask(capsys, tmp_path)
    assert (code, "ended before its answer with exit status 1" in said) == (2, True)
    endpoint.faults = ["stall"]
    monkeypatch.setenv(SECONDS_VARIABLE, "0.6")
    code, said = ask(capsys, tmp_path)
    assert (code, "does not answer within 0.6 seconds" in said) == (2, True)
    endpoint.closing.set()
    monkeypatch.setenv(SECONDS_VARIABLE, "10")
    code, found = ask(capsys, tmp_path)
    assert (code, len(endpoint.asked)) == (0, found["answers"] + 2)


def test_an_endless_answer_is_an_error_that_says_so(capfd, tmp_path, endpoint):
    endpoint.faults = ["", {"size": 1 << 40}]
    code, said = ask(capfd, tmp_path)
    assert code == 2
    assert said.count("the endpoint gives no valid answer (more than 1,048,576 bytes)\n") == 1
    assert "Traceback" not in said
    assert endpoint.sent < 1 << 26
    assert len(endpoint.asked) == 2, "it does not ask again"


def test_other_addresses_need_tls(capsys, tmp_path, monkeypatch, endpoint):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://example.com/v1")
    code, said = ask(capsys, tmp_path)
    assert (code, "ended before its answer" in said) == (2, True)
    assert endpoint.asked == []
