"""Every statement in a prompt is true, for every seat and in every form; scripted models score as known."""

import json
import re
import sys
from functools import partial

import numpy as np
import pytest
from command import run, run_refused

import baselines
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import DuelState, TableState, make_game, table_game
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.tables.game import TableGame
from cardwar_play.interview import Answered, Interviewer, answers_in
from cardwar_play.interview_figures import exact_from_mixes
from cardwar_play.ladder import TOLERANCE, climb, make_rungs
from train.policies.agent import query_for
from train.policies.agent_lines import Move, Query, read_answer
from train.policies.prompt_form import PromptForm
from train.policies.table_files import information_states

FORMS = {"plain": (None, False), "disguised": (5, False), "without moves": (None, True), "both": (6, True)}


# -- what a prompt says, read without the code that writes it ------------------------------


def numbers(text):
    return [int(number) for number in re.findall(r"[-+]?\d+", text)]


def pile(text):
    """Cards such as "2 3x5"."""
    cards = []
    for word in text.split():
        times, x, card = word.rpartition("x")
        cards += [] if word in "-." else [int(card)] * (int(times) if x else 1)
    return tuple(cards)


def line_of(text, start):
    (found,) = [line[len(start) :].strip() for line in text.splitlines() if line.startswith(start)]
    return found


def duel(game, text):
    score, who, *carried = re.fullmatch(
        r"score ([-+]\d+) for (\w+)(?:, carried ties (\d+))?", text.splitlines()[-1]
    ).groups()
    assert who == "you"
    return pile(line_of(text, "you ")), pile(line_of(text, "opponent ")), int(score), int(carried[0] or 0)


def duel_truth(game, state, player, shown):
    return shown(state.hands[player]), shown(state.hands[1 - player]), state.score * (1, -1)[player], state.ties


def goofspiel(game, text):
    prize, later = re.search(r"^prize (\d+)  later (.*)$", text, re.M).groups()
    lead = re.search(r"^score ([-+]\d+) for you$", text, re.M)
    carried = re.search(r"^carried points (\d+)$", text, re.M)
    opponent = () if game.hidden else pile(line_of(text, "opponent "))
    words = {"you win": 1, "nobody wins": 0, "the other player wins": -1}
    past = re.findall(r"^prize (\d+): you bid (\d+), (.*)$", text, re.M)
    gone = [(int(points), int(own), words[won]) for points, own, won in past]
    rest = int(lead[1]) if lead else None, int(carried[1]) if carried else 0, gone
    return int(prize), pile(later), pile(line_of(text, "you ")), opponent, *rest


def goofspiel_truth(game, state, player, shown):
    sign = (1, -1)[player]
    past = [(prize, *shown([bids[player]]), sign * int(np.sign(bids[0] - bids[1]))) for prize, *bids in state.played]
    opponent = () if game.hidden else shown(state.hands[1 - player])
    lead = sign * state.score if game.keeps_score and not game.hidden else None
    return state.prize, state.prizes, shown(state.hands[player]), opponent, lead, state.carried, past


def oshi_zumo(game, text):
    left, row, right = re.fullmatch(r"(\w+) +\| (.*) \|  (\w+)", text.splitlines()[0]).groups()
    assert (left, right) == ("you", "opponent")
    fields = row.split()
    away = fields.index("W") - game.size  # beyond the middle, towards the opponent
    assert (fields.count("W"), len(fields)) == (1, 2 * game.size + 1)
    coins = [int(re.search(rf"^{who} +coins (\d+)$", text, re.M)[1]) for who in ("you", "opponent")]
    return away, coins, int(line_of(text, "moves left"))


def oshi_zumo_truth(game, state, player, shown):
    """The position counts the fields that player 0 has won (test_oshi_zumo.py plays it)."""
    return state.position * (1, -1)[player], [state.coins[player], state.coins[1 - player]], state.moves_left


def dice_poker(game, text):
    return numbers(line_of(text, "you are in seat")) + numbers(line_of(text, "you see:"))


def liars_dice(game, text):
    seat, rest = numbers(line_of(text, "you are in seat"))[0], text.splitlines()[1:]
    own, other = (next(line for line in rest if line.startswith(f"{who} ")) for who in ("you", "opponent"))
    assert "?" in other
    bids = [line for line in rest if "dice" not in line]
    assert [line.split()[0] for line in bids] == [("you", "opponent")[(turn + seat) % 2] for turn in range(len(bids))]
    return seat, numbers(own), [line.split()[1] for line in bids]


def liars_dice_truth(game, state, player, shown):
    names = [f"{amount}x{face}" for amount in (1, 2) for face in range(1, game.sides + 1)]
    return player, list(state.dice[player]), [names[bid] for bid in state.bids]


def seat_of(name, players):
    """How many seats after the player's own."""
    return 0 if name == "you" else 1 if name == "opponent" else int(name.removeprefix("player_"))


def lowest_unique(game, text):
    won = re.search(r"^(\w+) won the last round$", text, re.M)
    winner = None if won is None or won[1] == "nobody" else seat_of(won[1], game.num_players)
    return int(line_of(text, "rounds left")), won is not None, winner


def lowest_unique_truth(game, state, player, shown):
    winner = state.last_winner
    after = None if winner is None else (winner - player) % game.num_players
    return state.rounds_left, state.rounds_left < game.rounds, after


def war(game, text):
    piles = {}
    for who, hand, won in re.findall(r"^(\w+)  +(?:hand (.*?)  wins (.*)|out)$", text, re.M):
        piles[seat_of(who, game.num_players)] = pile(hand), pile(won)
    pot = re.search(r"^pot (.*)$", text, re.M)
    tied = re.search(r"^war between (.*)$", text, re.M)
    names = re.split(", | and ", tied[1]) if tied else []
    return (
        piles,
        pile(pot[1]) if pot else (),
        {seat_of(name, game.num_players) for name in names},
        int(line_of(text, "rounds left")),
    )


def war_truth(game, state, player, shown):
    count = game.num_players
    piles = {(seat - player) % count: (shown(state.hands[seat]), shown(state.wins[seat])) for seat in range(count)}
    return piles, shown(state.pot), {(seat - player) % count for seat in state.tied}, state.rounds_left


def table(game, text):
    seat, (head, columns, *rows) = numbers(line_of(text, "you are in seat"))[0], text.splitlines()[1:]
    told = re.search(
        r"rows (\w+), columns (\w+), entries points (?:from (\w+) to (\w+)|to (\w+); points to (\w+))", head
    )
    rows_by, columns_by, payer, payee, first, second = told.groups()
    assert (payer, payee) == (columns_by, rows_by) or (first, second) == (rows_by, columns_by)
    payoffs = {
        (name, column): entry.split(";")[0].strip()
        for name, *entries in (re.split("  +", row.strip()) for row in rows)
        for column, entry in zip(columns.split(), entries, strict=True)
    }
    assert (rows_by == "you", rows_by == "opponent") in {(False, False), (seat == 0, seat == 1)}
    return seat, payoffs


def table_truth(game, state, player, shown):
    names, exact = game.table.actions, game.table.exact[0]
    payoffs = {(a, b): str(exact[i, j]) for i, a in enumerate(names[0]) for j, b in enumerate(names[1])}
    return player, payoffs


READERS = {
    "jujitsu": (duel, duel_truth),
    "dinosaur_war": (duel, duel_truth),
    "dice_wars": (duel, duel_truth),
    "goofspiel": (goofspiel, goofspiel_truth),
    "oshi_zumo": (oshi_zumo, oshi_zumo_truth),
    "dice_poker": (dice_poker, lambda game, state, player, shown: [player, state.rolls[player]]),
    "liars_dice": (liars_dice, liars_dice_truth),
    "lowest_unique": (lowest_unique, lowest_unique_truth),
    "war": (war, war_truth),
    "table:grid": (table, table_truth),
}
GAMES = [
    make_game("jujitsu", num_cards=3),
    make_game("jujitsu", hand_0=(2, 3, 6), hand_1=(1, 3, 5)),
    make_game("dinosaur_war", num_cards=3),
    make_game("dice_wars", num_cards=3),
    make_game("goofspiel", num_cards=3),
    make_game("goofspiel", num_cards=3, ties="carry", payoff="win"),
    make_game("goofspiel", num_cards=3, bids="hidden"),
    make_game("oshi_zumo", coins=5, size=1),
    make_game("oshi_zumo", coins=3, size=2, min_bid=0, horizon=4),
    make_game("dice_poker", sides=3),
    make_game("liars_dice", sides=2),
    make_game("lowest_unique", rounds=2, num_players=3, numbers=3),
    make_game("war", ranks=3, discards=0, max_rounds=3),
    make_game("war", num_players=3, ranks=3, discards=1, max_rounds=2),
    table_game([[4, -1, "1/3"], [0, 2, -7]], title="grid"),
    table_game([[[1, 2], [3, 0]], [[0, 2], [1, 5]]], title="grid", players=["Ann", "Bob"], actions=["ud", "lr"]),
]


def undone(text, form):
    """A disguised text by the words of the game."""
    back = {new: old for old, new in form.names.items() if not new.isdecimal()}

    def old(found):
        word = back[found[0].lower()] if found[0].lower() in back else back[found[0]]
        return word.upper() if word == "w" else word.capitalize() if found[0][0].isupper() else word

    return re.sub(rf"\b({'|'.join(back)})\b", old, text, flags=re.I) if back else text


def in_new(numbers, cards):
    return tuple(numbers.get(card, card) for card in cards)


def in_new_numbers(text, numbers, cards=r"\d+x\d+|\d+"):
    """A text about cards by the numbers of a disguise."""

    def new(found):
        times, x, card = found[0].rpartition("x")
        return f"{times}{x}{numbers.get(int(card), card)}"

    return re.sub(cards, new, text)


def rules_in_new_numbers(rules, numbers):
    def new(found):
        low, to, high = found[2].partition(" to ")
        cards = list(range(int(low), int(high) + 1)) if to else [int(card) for card in re.findall(r"\d+", found[2])]
        *most, last = [str(numbers[card]) for card in cards]
        return f"{found[1]} {' and '.join(filter(None, [', '.join(most), last]))}"

    if numbers:
        rules = re.sub(r"(cards?|number from) (\d+(?:(?:, | and | to )\d+)*)", new, rules)
        rules = in_new_numbers(rules, numbers, r"2x\d+|(?<=rank )\d+")
    return rules


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.facts.name}-{GAMES.index(game)}")
def test_every_statement_of_every_prompt_is_true(game):
    read, truth = READERS[game.facts.name]
    asked = [(state, player) for state in full_graph(game, 20_000).states for player in game.acting_players(state)]
    asked = asked[:: max(1, len(asked) // 200)]  # of larger games a part, from the first states to the last
    for every, (seed, hide) in enumerate(FORMS.values(), start=1):
        form = PromptForm(game, seed, hide)
        numbers = {int(old): int(new) for old, new in form.names.items() if old.isdecimal() and new.isdecimal()}
        for state, player in asked[:: every**2]:
            query = form.query(game.observation(state, player), game.action_mask(state, player), "mix")
            sent = form.sent(query)
            known = truth(game, state, player, partial(in_new, numbers))
            assert read(game, undone(sent.state, form)) == known, (sent.state, state, player)
            legal = {game.describe_action(action, player) for action in game.legal_actions(state, player)}
            assert {undone(move.name, form) for move in query.moves} == {
                in_new_numbers(name, numbers) for name in legal
            }
            assert {move.name for move in sent.moves} == (set() if hide else {move.name for move in query.moves})
        assert undone(query.rules, form) == rules_in_new_numbers(game.how_to_play, numbers)
        assert sent.rules.startswith(query.rules)
        if seed is not None:
            assert (sent.game, sent.parameters, sent.observation) == ("", {}, [])
            told = rf"{game.facts.name}|{'|'.join(name for name in form.names if len(name) > 1)}"
            assert not re.search(rf"\\b({told})\\b", sent.state + sent.rules, re.I)


# -- scripted models, which get nothing but a prompt ----------------------------------------


class Model:
    """Takes the place of an agent's process; `play` maps a query to a mix by name."""

    def __init__(self, play):
        self.play = play

    def ask(self, line):
        return json.dumps({"probabilities": self.play(json.loads(line))}).encode()

    def close(self):
        pass


def interviewed(monkeypatch, folder, play, game, form):
    monkeypatch.setattr("cardwar_play.interview.AgentProcess", lambda command: Model(play))
    return answers_in(folder, {}), lambda answers: Interviewer(game, "", answers, 1, form)


def evenly(names):
    return {name: 1 / len(names) for name in names}


MATRIX = {
    "perfect": lambda names, mix, seat: mix,
    "uniform": lambda names, mix, seat: evenly(names),
    "same": lambda names, mix, seat: {names[0]: 1.0},
    "half": lambda names, mix, seat: mix if seat == 0 else {names[0]: 1.0},
}


def matrix_model(kind):
    """Solves the table that the prompt shows."""

    def play(query):
        seat, payoffs = table(None, query["state"])
        names = [list(dict.fromkeys(cell[line] for cell in payoffs)) for line in (0, 1)]
        matrix = [[int(payoffs[row, column]) for column in names[1]] for row in names[0]]
        mix = baselines.solve(table_game(matrix)).strategies(TableState())[seat]
        return MATRIX[kind](names[seat], dict(zip(names[seat], mix.tolist(), strict=True)), seat)

    return play


@pytest.mark.parametrize("kind", MATRIX)
@pytest.mark.parametrize("form", FORMS)
def test_scripted_models_climb_the_ladder_as_known(monkeypatch, tmp_path, kind, form):
    rungs = [*make_rungs(3, 5, 7, FORMS[form][0] is not None, FORMS[form][1])]
    opened, interviewer = interviewed(monkeypatch, tmp_path, matrix_model(kind), rungs[0].game, None)
    with opened as answers:
        found = climb(interviewer(answers), rungs, lambda done: None)
    expected = []
    for rung in rungs:
        payoffs, (row, column) = rung.game.table.payoffs[0], baselines.solve(rung.game).strategies(TableState())
        row = {"uniform": np.full(3, 1 / 3), "same": np.eye(3)[0]}.get(kind, row)
        column = {"uniform": np.full(3, 1 / 3), "perfect": column}.get(kind, np.eye(3)[0])
        expected.append(((payoffs @ column).max() - (row @ payoffs).min()) / 2)
    assert found["agent"]["exploitability"] == pytest.approx(np.mean(expected), abs=1e-9)
    assert found["agent"]["right"] == np.mean(np.array(expected) <= TOLERANCE)
    assert found["agent"]["answered"] == 5
    assert (kind == "perfect") == (found["agent"]["right"] == 1.0)
    if kind == "uniform":
        assert found["uniform"] == pytest.approx(found["agent"])
    pure = [
        min((a[:, j].max() - a[i].min()) / 2 for i in range(3) for j in range(3))
        for a in (r.game.table.payoffs[0] for r in rungs)
    ]
    assert found["best_pure"]["exploitability"] == pytest.approx(np.mean(pure))


@pytest.mark.parametrize("kind", ["same", "half"])
@pytest.mark.parametrize("form", FORMS)
def test_scripted_models_of_a_card_game_score_as_known(monkeypatch, tmp_path, kind, form):
    """The model knows cards by their order only; "half" plays the equilibrium where it is not behind."""
    game = make_game("jujitsu", num_cards=3)
    solution, prompts = baselines.solve(game), PromptForm(game, *FORMS[form])

    def policy(state):
        names = state.hands[0]
        mix = solution.strategies(state)[0]
        mixes = {card: float(mix[card - 1]) for card in names}
        return MATRIX[kind](names, mixes, int(state.score < 0))

    def play(query):
        cards = sorted(
            map(
                int,
                re.search(r"each hold the \w+ (.*?)\. Both", query["rules"].replace("1 to 3", "1, 2, 3"))[1]
                .replace("and", ",")
                .replace(" ", "")
                .replace(",,", ",")
                .split(","),
            )
        )
        own, other, score, ties = duel(game, undone(query["state"], prompts))
        state = DuelState(
            (tuple(cards.index(c) + 1 for c in own), tuple(cards.index(c) + 1 for c in other)), score, ties
        )
        return {str(cards[card - 1]): p for card, p in policy(state).items()}

    opened, interviewer = interviewed(monkeypatch, tmp_path, play, game, prompts)
    with opened as answers:
        result = exact_from_mixes(interviewer(answers), information_states(game), lambda done: None)
    mixes = {}
    for key, (seen, _) in information_states(game).items():
        mixes[key] = np.zeros(3)
        for card, p in policy(game.state_of(seen)[0]).items():
            mixes[key][card - 1] = p
    assert result.total == pytest.approx(baselines.nash_conv(game, Answered(mixes)).total, abs=1e-12)
    assert (result.total < 1e-9) == (kind == "perfect")
    if kind in ("uniform", "same"):
        assert result.total / 2 == pytest.approx(
            baselines.exploitability(game, {"same": "lowest_card"}.get(kind, kind))
        )


FIRST = """
import json, sys
for line in sys.stdin:
    query = json.loads(line)
    names = query["state"].splitlines()[2].split(), [row.split()[0] for row in query["state"].splitlines()[3:]]
    first, second, *_ = names["seat 0" in query["state"]]
    print('I see. {"probabilities": {"%s": "90%%", "%s": 0.09}, "why": "a guess"} ' % (first, second), flush=True)
"""


def test_a_ladder_is_one_page_and_counts_what_was_lenient(capsys, tmp_path):
    (tmp_path / "agent.py").write_text(FIRST)
    call = ["interview", "--ladder", "2,3", "--games", "3", "--agent", f"{sys.executable} -S {tmp_path / 'agent.py'}"]
    call += ["--disguise", "--hide-moves", "--out", str(tmp_path / "out")]
    code, out, _ = run(capsys, *call)
    assert (code, len(out.splitlines()) < 20) == (0, True)
    assert (
        "12 answers\nanswers read leniently: number texts 12, other entries 12, rounded 12, surrounding text 12\n"
        in out
    )
    found = json.loads(run(capsys, *call, "--json")[1])
    assert [row["player"] for row in found["rows"]] == ["agent", "uniform", "best_pure"] * 2
    lines = [json.loads(line) for line in (tmp_path / "out" / "answers.jsonl").read_bytes().splitlines()]
    used = [[*json.loads(line["used"])["probabilities"].values()] for line in lines]
    assert used == [[pytest.approx(0.9 / 0.99), pytest.approx(0.09 / 0.99)]] * 12
    names = json.loads((tmp_path / "out" / "interview.json").read_text())["names"]
    assert {*json.loads(lines[0]["used"])["probabilities"]} <= {*names["2x2 0"].values()}


def test_hidden_moves_count_illegal_answers_and_a_ladder_goes_on_without_them(monkeypatch, tmp_path):
    rungs = [*make_rungs(2, 3, 1, False, True)]
    opened, interviewer = interviewed(monkeypatch, tmp_path, lambda query: {"row1": 1.0}, rungs[0].game, None)
    with opened as answers:
        found = climb(interviewer(answers), rungs, lambda done: None)
        assert (found["agent"], answers.illegal) == ({"answered": 0, "right": 0.0}, 3)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("examples.undercut:Undercut --disguise", "undercut cannot be disguised"),
        ("--ladder 3,2", "--ladder (3,2) must be ascending sizes from 2 to 20"),
        ("--ladder 2,x", "--ladder (2,x) must be"),
        ("jujitsu --ladder 2", "--ladder has games of its own"),
        ("--seed 1", "name a game"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(capsys, tmp_path, call, said):
    assert said in run_refused(capsys, "interview", *call.split(), "--agent", "none", "--out", str(tmp_path / "out"))


def test_texts_that_a_declaration_does_not_cover_are_refused():
    for method in ({"describe": lambda self, state: f"cards {state.hands}"}, {"trick_outcomes": lambda *_: ()}):
        with pytest.raises(ValueError, match="cannot be disguised"):
            PromptForm(type("Changed", (Jujitsu,), method)(num_cards=3), 1)


def test_a_text_without_you_names_the_seat():
    game = TableGame(table_game([[1, 2], [3, 0]], players=["Ann", "Bob"]).table)
    silent = type("Silent", (TableGame,), {"how_to_play": "Choose.", "describe": lambda self, state: "P0 and P1"})
    for seat in (0, 1):
        seen = game.observation(TableState(), seat), game.action_mask(TableState(), seat)
        assert query_for(silent(game.table), *seen).state == f"you are in seat {seat}\nP0 and P1"


# -- answers -----------------------------------------------------------------------------------

HALF = (0.5, 0.5)
ANSWERS = {  # what a model says -> the probabilities of "Raise" and "3", and the leniencies
    '{"probabilities": {"Raise": 0.5, "3": 0.5}}': (HALF, ()),
    'So:\n```json\n{"probabilities": {"Raise": 0.5, "3": 0.5}}\n```': (HALF, ("surrounding text",)),
    '{"move": "3"} or rather {"probabilities": {"Raise": "50%", "three": "1/2"}} }': (
        HALF,
        ("move names", "number texts", "surrounding text"),
    ),
    '{"probabilities": {" raise ": "one half", "3": ".5"}, "why": "a {brace} \\" and }"}': (
        HALF,
        ("move names", "number texts", "other entries"),
    ),
    '{"probabilities": {"Raise": 0.33, "3": 0.66}}': ((1 / 3, 2 / 3), ("rounded",)),
    '{"probabilities": {"Raise": "zero", "3": "three thirds"}}': ((0.0, 1.0), ("number texts",)),
    '{"move": 3}': ((0.0, 1.0), ("move names",)),
}
REFUSED = {
    "Raise": "has no JSON object",
    '{"probabilities": {"Raise": 0.33, "3": 0.6}}': "add up to 0.93",
    '{"probabilities": {"Raise": 50, "3": 50}}': "must be in 0..1",
    '{"probabilities": {"Raise": "1/0", "3": 1}}': "must be in 0..1",
    '{"probabilities": {"Raise": "-1/2", "3": 1}}': "is not a number",
    '{"probabilities": {"Raise": 0.5, "raise": 0.5}}': "two probabilities",
    'Or {"probabilities": {"Raise": 0.5, "Raise": 0.5}}': "occurs twice",
    '{"move": "3", "probabilities": {"3": 1}}': "needs either",
    '{"move": "3"} {"note": 1}': "unknown name 'note'",
    '{"move": "raise or 3"}': "is not a legal move",
}


def told(text, line):
    query = Query(
        query=1,
        ask="any",
        game="",
        parameters={},
        rules="",
        state="",
        observation=[],
        moves=[Move(action=0, name="Raise"), Move(action=1, name="3")],
    )
    return read_answer(json.dumps({"text": text}).encode() if line == "text" else text.encode(), query)


@pytest.mark.parametrize("line", ["plain", "text"])
def test_answers_are_read_where_they_mean_one_thing(line):
    for text, (mix, lenient) in ANSWERS.items():
        found = told(text, line)
        assert (found.probabilities, found.lenient) == (pytest.approx(mix), lenient), text
    for text, said in REFUSED.items():
        with pytest.raises(ValueError, match=said):
            told(text, line)


def test_a_name_that_fits_two_moves_is_refused():
    query = Query(
        query=1,
        ask="any",
        game="",
        parameters={},
        rules="",
        state="",
        observation=[],
        moves=[Move(action=0, name="Up"), Move(action=1, name="UP")],
    )
    assert read_answer(b'{"move": "UP"}', query).probabilities == (0.0, 1.0)
    with pytest.raises(ValueError, match="'up' is not a legal move"):
        read_answer(b'{"move": "up"}', query)
