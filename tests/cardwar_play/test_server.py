"""The server: only its own page may look and play, and nobody learns what is sealed."""

import asyncio
import errno
import hashlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import httpx
import pytest
from command import run_refused
from thinning import each_row

import baselines
from cardwar_envs import make_game
from cardwar_play import lobby
from cardwar_play.host import Host
from cardwar_play.record import read_record
from cardwar_play.seating import table_for
from cardwar_play.server import make_app
from train.text.printing import points

PORT, TOKEN, SEED = 8765, "a-secret-token", 3141592653
OWN = f"http://127.0.0.1:{PORT}"


class Browser:
    """A tab: it knows the game and the turn that it was shown last."""

    def __init__(self, host):
        self.host = host
        self._app = make_app(host, PORT, TOKEN)
        self.view = self.get("state").json()

    def send(self, method, path, **request):
        async def sent():
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url=OWN) as client:
                return await client.request(method, path, **request)

        return asyncio.run(sent())

    def get(self, path, token=TOKEN, **headers):
        return self.send("GET", f"/{token}/{path}", headers=headers)

    def post(self, path, content=None, token=TOKEN, **headers):
        headers = {"Origin": OWN, "Content-Type": "application/json", **headers}
        sent = {name: value for name, value in headers.items() if value is not None}
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return self.send("POST", f"/{token}/{path}", content=body, headers=sent)

    def shown(self, **changes):
        """What a request names: the game and the turn that this tab shows."""
        return {"game": self.view["game"], "turn": self.view["turn"], **changes}

    def play(self, action):
        answer = self.post("play", self.shown(action=action))
        assert answer.status_code == 200, answer.text
        self.view = answer.json()
        return self.view

    def prepared(self):
        """Waits for the game that was chosen."""
        while self.view.get("preparing") or "lobby" in self.view:
            self.view = self.get("state").json()
            assert not self.view.get("refusal")

    def play_out(self):
        while not self.view["ending"]:
            self.play(self.view["choices"]["actions"][-1][0])
        return self.view


@pytest.fixture
def hosted(solution):
    """Makes the games of a server on the solved game."""

    def make(record=None):
        return Host(table_for(solution.game, 0, [], solution), SEED, record)

    return make


@pytest.fixture
def host(hosted):
    return hosted()


@pytest.fixture
def tab(host):
    return Browser(host)


@pytest.fixture
def still(tab):
    """A tab whose requests must change nothing."""

    def stands():
        trainer = tab.host.trainer
        return tab.host.game_id, trainer.state, trainer.digest, trainer.ending, len(trainer.steps), trainer.total

    before = stands()
    yield tab
    assert stands() == before


# -- a game -----------------------------------------------------------------------------


def test_a_game_has_the_numbers_of_the_trainer(tab, host):
    seen, pictures = [tab.view], []
    while not tab.view["ending"]:
        pictures.append(tab.get("scene.svg").text)
        seen.append(tab.play(tab.view["choices"]["actions"][-1][0]))
    for step, before, after in zip(host.trainer.steps, seen, seen[1:], strict=False):
        last = after["last"]
        assert last["moves"] == [
            ["You", str(step.actions[0] + 1)],
            ["Perfect player", str(step.actions[1] + 1)],
        ]
        assert last["verdict"]["lost"] == step.cost
        rows = {row["name"]: (row["probability"], row["cost"]) for row in last["verdict"]["rows"]}
        verdict = step.verdict
        told = {str(a + 1): (points(verdict.mix[a], 3), points(verdict.costs[a], 3)) for a in verdict.costs}
        assert rows == (told if len(told) > 1 else {})
        assert last["opened"]["digest"] == before["digest"]
        assert hashlib.sha256(last["opened"]["text"].encode()).hexdigest() == before["digest"]
    assert seen[-1]["total"] == points(host.trainer.total, 3)
    assert [each["number"] for each in seen[-1]["review"]] == [1, 2, 3, 4, 5]
    for told, before, picture in zip(seen[-1]["review"], seen, pictures, strict=False):
        assert (told["position"], told["picture"]) == (before["position"], before["picture"])
        assert tab.get(f"scene.svg?step={told['step']}").text == picture


def test_the_record_is_there_when_the_game_has_ended(tab, host, tmp_path):
    refused = tab.get("record.json")
    assert refused.status_code == 409
    assert "when the game has ended" in refused.json()["error"]
    tab.play_out()
    answer = tab.get("record.json")
    assert answer.headers["content-disposition"].startswith("attachment")
    (tmp_path / "game.json").write_bytes(answer.content)
    assert read_record(tmp_path / "game.json").episode.payoffs == host.trainer.payoffs


def test_games_follow_with_seeds_and_records_of_their_own_over_no_other_file(hosted, tmp_path):
    tab, seen = Browser(hosted(tmp_path / "game.json")), []
    (tmp_path / "game-2.json").write_text("of an earlier evening")
    for _ in range(2):
        tab.play_out()
        seen.append((tab.host.trainer.seed, tab.view["game"]))
        tab.view = tab.post("new", tab.shown(series=None)).json()
        assert (tab.view["turn"], tab.view["ending"], tab.view["last"]) == (1, "", None)
    tab.post("give-up", tab.shown())
    assert [len(set(each)) for each in zip(*seen, (tab.host.trainer.seed, tab.view["game"]), strict=True)] == [3, 3]
    endings = [read_record(tmp_path / f"game{n}.json").content["ending"] for n in ("", "-3", "-4")]
    assert endings == ["over", "over", "given up"]
    assert (tmp_path / "game-2.json").read_text() == "of an earlier evening"


def test_a_record_that_cannot_be_written_is_said_and_can_still_be_saved(hosted, tmp_path):
    tab = Browser(hosted(tmp_path / "gone" / "game.json"))
    answer = tab.post("give-up", tab.shown())
    assert answer.status_code == 507
    assert "The record cannot be written" in answer.json()["error"]
    assert answer.json()["view"]["ending"]
    assert tab.get("record.json").status_code == 200


def test_choices_are_found_by_typing():
    game = make_game("war", num_players=3)
    tab = Browser(Host(table_for(game, 0, ["max"], None, "No costs."), 0, None))
    tab.play(11)
    assert (len(tab.view["choices"]["actions"]), tab.view["choices"]["more"]) == (1320, 0)
    found = tab.get("choices?text=2 3 4 with 9").json()
    assert found["items"] == ["discards 2 3 4 and battles with 9"]
    assert (found["more"], found["turn"], found["game"]) == (0, tab.view["turn"], tab.view["game"])


# -- what is sealed ---------------------------------------------------------------------


def texts_of(tab):
    """Everything that the server answers at this moment."""
    paths = [
        "",
        "page.js",
        "picking.js",
        "lobby.js",
        "page.css",
        "state",
        "scene.svg",
        "scene.svg?step=1",
        "choices?text=",
        "record.json",
    ]
    posts = [
        ("play", tab.shown(action=99)),
        ("play", {}),
        ("new", tab.shown(series=None)),
        ("watch", tab.shown()),
    ]
    posts += [("give-up", tab.shown(turn=0)), ("leave", tab.shown())]
    answers = [tab.get(path) for path in paths] + [tab.post(path, content) for path, content in posts]
    return "".join(f"{answer.text}\n{answer.headers}" for answer in answers)


def test_no_answer_has_what_is_sealed(tab, host):
    while not tab.view["ending"]:
        sealed = host.trainer._seal.text
        said = texts_of(tab)
        assert sealed.split()[0] not in said
        assert sealed.split(" ", 1)[1] not in said
        assert str(SEED) not in said
        tab.play(tab.view["choices"]["actions"][0][0])
        assert tab.view["last"]["opened"]["text"] == sealed


@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.wide), 1])
def test_no_answer_depends_on_a_private_roll(seat):
    """Deals that differ in the other's roll and move only are answered alike."""
    solved = baselines.solve(make_game("dice_poker"))
    said = {}
    for seed in range(24):
        host = Host(table_for(solved.game, seat, [], solved), seed, None)
        tab = Browser(host)
        text = texts_of(tab)
        for secret in (host.game_id, host.trainer.digest):
            text = text.replace(secret, "")
        rolls = host.trainer.state.rolls
        said.setdefault(rolls[seat], {}).setdefault(text, set()).add((rolls[1 - seat], *host.trainer._moves.values()))
    assert sorted(said) == [1, 2, 3, 4, 5, 6]
    assert all(len(texts) == 1 for texts in said.values())
    secrets = [secret for texts in said.values() for each in texts.values() for secret in each]
    assert len(secrets) > 2 * len(said)


def test_no_answer_depends_on_earlier_moves_that_stay_hidden():
    """Games in which the player has seen the same are answered alike, up to the end, when everything is shown."""
    solved = baselines.solve(make_game("goofspiel", num_cards=3, prizes="descending", bids="hidden"))
    said = {}
    for seed in range(8):
        host = Host(table_for(solved.game, 0, ["uniform"], solved), seed, None)
        tab = Browser(host)
        tab.play(0)  # a 1, which loses to a 2 and to a 3
        text = texts_of(tab)
        for secret in (host.game_id, host.trainer.digest):
            text = text.replace(secret, "")
        seen = solved.game.observation(host.trainer.state, 0).tobytes()
        said.setdefault(seen, {}).setdefault(text, set()).add(host.trainer.state)
        assert tab.view["earlier"] == []
        tab.play(1)
        tab.play(2)
        assert tab.view["earlier"] == [step.seal.command for step in host.trainer.steps[:2]]
        assert [who for who, _ in tab.view["last"]["moves"]] == ["You", "Uniform"]
        assert tab.view["last"]["opened"]["digest"] == host.trainer.steps[-1].seal.digest
    assert all(len(texts) == 1 for texts in said.values())
    assert max(len(states) for texts in said.values() for states in texts.values()) > 1


# -- who may ask ------------------------------------------------------------------------


NAMES = ["evil.example", "127.0.0.1", "127.0.0.1:80", "localhost", "127.0.0.1.evil.example:8765", ""]
ORIGINS = ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1:8765", "", None]
TOKENS = ["", "wrong", TOKEN + "x", TOKEN[:-1], "ü", "..", f"x/{TOKEN}"]


@each_row(
    ("token", "headers", "said"),
    [
        *((TOKEN, {"Host": name}, "This server accepts requests from this machine only.\n") for name in NAMES),
        *((TOKEN, {"Origin": origin}, "This request does not come from this server's page.\n") for origin in ORIGINS),
        *((token, {}, "Open the address that `cardwar play` printed.\n") for token in TOKENS),
    ],
)
def test_other_hosts_origins_and_tokens_are_refused(still, token, headers, said):
    changes = ("play", "give-up", "new", "watch", "choose", "leave")
    answers = [still.post(path, still.shown(action=0), token, **headers) for path in changes]
    if headers.get("Origin", "") is not None:  # reading needs no origin
        answers += [still.get(path, token, **headers) for path in ("", "state", "page.js", "record.json")]
    assert {(answer.status_code, answer.text) for answer in answers} == {(403, said)}


def test_localhost_is_this_machine_too(tab):
    name = f"localhost:{PORT}"
    assert tab.get("state", Host=name).status_code == 200
    assert tab.post("play", tab.shown(action=0), Host=name, Origin=f"http://{name}").status_code == 200
    assert tab.post("play", tab.shown(action=0), Host=name, Origin=OWN).status_code == 403


def test_every_answer_forbids_what_the_page_does_not_need(tab):
    for answer in (tab.get(""), tab.get("state"), tab.get("scene.svg"), tab.get("none"), tab.get("", token="x")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers


def test_the_page_has_no_script_inside_and_no_link_outside(tab):
    page = tab.get("").text
    scripts = re.findall(r'<script src="(\w+\.js)" defer></script>', page)
    assert len(scripts) == page.count("<script") == 5
    assert not re.search(r"\son\w+=|style=|https?:|//", page)
    assert not [name for name in scripts if re.search("http|innerHTML", tab.get(name).text)]
    assert not re.search(r"url\(|@import|http", tab.get("page.css").text)


# -- what may be asked ------------------------------------------------------------------


def test_a_move_of_another_turn_or_game_changes_nothing(tab, request):
    other = Browser(tab.host)
    tab.play(2)
    assert Browser(tab.host).view == tab.view, "a second tab and a reload see where the game stands"
    request.getfixturevalue("still")
    for asked, said in (
        (other.shown(action=3), "The game has moved on, in another tab."),
        (tab.shown(action=3, turn=99), "The game has moved on, in another tab."),
        (tab.shown(action=3, game="0" * 16), "That game has ended, in another tab."),
    ):
        for path in ("play", "give-up", "new"):
            sent = {name: asked[name] for name in ("game", "turn")}
            sent |= {"play": {"action": 3}, "new": {"series": None}}.get(path, {})
            answer = other.post(path, sent)
            assert answer.status_code == 409
            assert answer.json()["error"].startswith(said)
            assert answer.json()["view"] == tab.view  # so the tab shows where the game stands


@each_row(
    ("content", "status"),
    [
        *(({"action": action}, 400) for action in (7, -1, "0", 1.0, None)),
        *((content, 400) for content in (b"", b"[]", b"\xff", b"[" * 4000, b'{"game": "x", "turn": 1}')),
        (b'{"game": "x", "turn": 1, "action": 0, "state": {"score": 5}}', 400),
        (b'{"game": "x", "turn": true, "action": 0}', 400),
        (b'{"game": 1e400, "turn": 1, "action": 0}', 400),
        (b" " * 5000, 413),
    ],
)
def test_malformed_moves_are_refused_and_change_nothing(still, content, status):
    answer = still.post("play", content if isinstance(content, bytes) else still.shown(**content))
    assert answer.status_code == status
    assert isinstance(content, bytes) or "action" in answer.json()["error"]


def test_a_request_that_breaks_off_changes_nothing(still):
    messages, sent = iter([{"type": "http.request", "body": b"{", "more_body": True}]), []

    async def receive():
        return next(messages, {"type": "http.disconnect"})

    async def send(message):
        sent.append(message)

    headers = {"host": f"127.0.0.1:{PORT}", "origin": OWN, "content-type": "application/json"}
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/{TOKEN}/play",
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    asyncio.run(make_app(still.host, PORT, TOKEN)(scope, receive, send))
    assert sent[0]["status"] == 400


def test_what_is_not_served_or_not_taken_changes_nothing(still):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        assert still.post("play", still.shown(action=0), **{"Content-Type": kind}).status_code == 415
    assert still.get("play").status_code == 405
    assert still.get("../../server.py").status_code in (403, 404)
    assert still.get("page.html.jinja").status_code == 404
    assert still.post("new", still.shown(series=None)).status_code == 409, "a game that goes on is not replaced"


@each_row(
    "change",
    [
        {"kind": -1},
        {"kind": 99},
        {"size": 9},
        {"opponent": -1},
        {"seat": 2},
        {"seat": -1},
        {"series": 7},
        {"kind": "war"},
        {"size": None},
        {"of": 0},
    ],
)
def test_the_browser_chooses_by_places_in_lists_alone(monkeypatch, change):
    monkeypatch.setattr(lobby, "timely_equilibrium", lambda *_: (None, "it is not computed"))
    monkeypatch.setattr(lobby, "_solutions", {})
    tab = Browser(Host(None, None, None))
    place = lobby.offers(0)[0].opponents.index("uniform")
    asked = tab.shown(kind=0, size=0, seat=0, opponent=place, series=1)
    assert tab.post("choose", {**asked, **change}).status_code == 400
    for path in ("scene.svg", "choices?text=", "record.json"):
        assert tab.get(path).status_code == 409
    assert tab.post("play", tab.shown(action=0)).status_code == 409
    for word in ("-1", "99", "war", "../war", "", "\u0662"):
        assert {tab.get(f"{path}?game={word}").status_code for path in ("offers", "cover.svg")} == {400}
    tab.post("choose", asked)
    tab.prepared()
    assert (tab.view["opponents"], tab.view["series"]["length"]) == (["Uniform"], 3)
    assert tab.post("choose", {**asked, **tab.shown()}).status_code == 409
    assert tab.post("leave", tab.shown()).status_code == 409
    assert tab.post("watch", tab.shown()).status_code == 400
    tab.play_out()
    assert "lobby" in tab.post("leave", tab.shown()).json()


def test_a_preparation_is_seen_in_every_tab_and_can_be_dropped(monkeypatch):
    goes_on = threading.Event()

    def slowly(game, seconds, progress):
        goes_on.wait(30)
        return None, "it is not computed"

    monkeypatch.setattr(lobby, "timely_equilibrium", slowly)
    monkeypatch.setattr(lobby, "_solutions", {})
    tab = Browser(Host(None, None, None))
    hard, easy = map(lobby.offers(0)[1].opponents.index, ("equilibrium", "uniform"))
    asked = {"kind": 0, "size": 1, "seat": 0, "opponent": hard, "series": 2}
    lobby_id = tab.view["game"]
    tab.view = tab.post("choose", tab.shown(**asked)).json()
    assert tab.view["preparing"][0] == "Jujitsu, 8 cards, against the perfect player"
    other = Browser(tab.host)  # a second tab or a reload
    assert (other.view["game"], other.view["chosen"]) == (tab.view["game"], [0, 1, 0, hard, 2])
    assert tab.post("choose", tab.shown(**asked)).status_code == 409
    assert tab.post("leave", {"game": lobby_id, "turn": 0}).status_code == 409
    other.view = other.post("leave", other.shown()).json()
    assert (other.view["preparing"], other.view["chosen"]) == (None, [0, 1, 0, hard, 2])
    goes_on.set()
    other.view = other.post("choose", other.shown(**{**asked, "opponent": easy})).json()
    other.prepared()
    assert other.view["worth"] == "Moves are not judged: it is not computed."


# -- the program ------------------------------------------------------------------------


def test_a_taken_port_is_one_line(capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = run_refused(capsys, "play", "jujitsu", "num_cards=3", "--web", "--port", str(port))
    assert said == f"cardwar: port {port} is taken; choose another with --port, or --port 0 for a free one\n"


def test_the_program_serves_this_machine_only_and_ends_with_an_interrupt(tmp_path):
    kept = tmp_path / "game.json"
    words = ["play", "jujitsu", "num_cards=3", "--web", "--port", "0", "--record", str(kept)]
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "cardwar_cli.main", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        said = [program.stdout.readline() for _ in range(2)][1]
        address = re.search(r"http://127\.0\.0\.1:(\d+)/[\w-]{32}/", said)
        with urllib.request.urlopen(f"{address[0]}state") as answer:
            assert json.load(answer)["title"] == "Jujitsu"
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"http://127.0.0.1:{address[1]}/")
        with socket.socket() as outside:  # another address of this machine
            assert outside.connect_ex(("127.0.0.2", int(address[1]))) == errno.ECONNREFUSED
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=60)
    assert (program.returncode, err) == (0, "")
    assert read_record(kept).content["ending"] == "broken off"
