"""Every statement in a prompt is true, for every seat and in every form; scripted models score as known."""

import json
import re
import sys
from collections import Counter

import numpy as np
import pytest
from command import run, run_refused

import baselines
from baselines.oracles.state_graph.game_graph import full_graph
from cardwar_envs import TableState, make_game, table_game
from cardwar_envs.games.jujitsu import Jujitsu
from cardwar_envs.tables.game import TableGame
from cardwar_play.interview import Interviewer, answers_in
from cardwar_play.ladder import TOLERANCE, climb, make_rungs
from train.policies.agent import query_for
from train.policies.agent_lines import Move, Query, read_answer
from train.policies.prompt_form import PromptForm

FORMS = {"plain": (None, False), "disguised": (5, False), "without moves": (None, True), "both": (6, True)}


# -- what a prompt says of a state, written without the code of the games --------------------
# `state` is a state, `me` a seat, `card` the number that a text shows for a card.


def pile(cards, card):
    """Cards such as "2 3x5"."""
    return " ".join(f"{n}x{card(c)}" if n > 1 else f"{card(c)}" for c, n in sorted(Counter(cards).items())) or "-"


def duel(game, state, me, card):
    ranks = sorted({*game.hands[0], *game.hands[1]})
    for who, seat in (("you", me), ("opponent", 1 - me)):
        yield " ".join([who, *(str(card(rank)) if rank in state.hands[seat] else "." for rank in ranks)])
    carried = f", carried ties {state.ties}" if game.ties == "carry" else ""
    yield f"score {state.score * (1, -1)[me]:+d} for you{carried}"


def goofspiel(game, state, me, card):
    yield f"prize {state.prize} later {pile(state.prizes, int)}"
    yield f"you {pile(state.hands[me], card)}"
    if not game.hidden:
        yield f"opponent {pile(state.hands[1 - me], card)}"
    if game.payoff == "win":
        yield f"score {state.score * (1, -1)[me]:+d} for you"
    if game.ties == "carry":
        yield f"carried points {state.carried}"
    for prize, *bids in state.played:
        won = ("nobody wins", "you win", "the other player wins")[int(np.sign(bids[me] - bids[1 - me]))]
        yield f"prize {prize}: you bid {card(bids[me])}, {won}"


def oshi_zumo(game, state, me, card):
    row = ["."] * (2 * game.size + 1)
    row[game.size + state.position * (1, -1)[me]] = "W"  # player 0 has won as many fields as the position says
    yield f"you | {' '.join(row)} | opponent"
    yield from (f"{who} coins {state.coins[seat]}" for who, seat in (("you", me), ("opponent", 1 - me)))
    yield f"moves left {state.moves_left}"


def dice_poker(game, state, me, card):
    yield ("You check or raise", "You fold or call if your opponent raises")[me]
    yield from (f"you rolled {roll}" if seat == me else "opponent rolled ?" for seat, roll in enumerate(state.rolls))


def liars_dice(game, state, me, card):
    names = [f"{amount}x{face}" for amount in (1, 2) for face in range(1, game.sides + 1)]
    yield ("You bid first", "Your opponent bids first")[me]
    yield from (f"you dice {own}" if seat == me else "opponent dice ?" for seat, (own,) in enumerate(state.dice))
    yield from (f"{('you', 'opponent')[(turn + me) % 2]} {names[bid]}" for turn, bid in enumerate(state.bids))


def lowest_unique(game, state, me, card):
    yield f"rounds left {state.rounds_left}"
    if state.rounds_left < game.rounds:
        winner = state.last_winner
        yield f"{'nobody' if winner is None else called(winner, me, game)} won the last round"


def called(seat, me, game):
    """A seat in a game that shows every player a seat of its own as seat 0."""
    after = (seat - me) % game.num_players
    return "you" if after == 0 else "opponent" if game.num_players == 2 else f"player_{after}"


def war(game, state, me, card):
    seats = [(me + after) % game.num_players for after in range(game.num_players)]
    for seat in seats:
        holds = f"hand {pile(state.hands[seat], card)} wins {pile(state.wins[seat], card)}"
        yield f"{called(seat, me, game)} {holds if seat in state.live else 'out'}"
    if state.pot:
        yield f"pot {pile(state.pot, card)}"
    if state.tied:
        *most, last = [called(seat, me, game) for seat in seats if seat in state.tied]
        yield f"war between {', '.join(most)} and {last}"
    yield f"rounds left {state.rounds_left}"


def table(game, state, me, card):
    yield f"You are in seat {me} of these rules"
    names = game.table.players
    row, column = (("you", "opponent"), ("opponent", "you"))[me] if names[0] == "player_0" else names
    zero_sum, paid = game.facts.zero_sum, game.table.exact
    entries = f"points from {column} to {row}" if zero_sum else f"points to {row}; points to {column}"
    yield f"{game.table.title}: rows {row}, columns {column}, entries {entries}"
    yield " ".join(game.table.actions[1])
    for i, name in enumerate(game.table.actions[0]):
        cells = (str(paid[0, i, j]) if zero_sum else f"{paid[0, i, j]}; {paid[1, i, j]}" for j in range(paid.shape[2]))
        yield " ".join([name, *cells])


TEXTS = {"jujitsu": duel, "dinosaur_war": duel, "dice_wars": duel, "table:grid": table}
TEXTS |= {text.__name__: text for text in (goofspiel, oshi_zumo, dice_poker, liars_dice, lowest_unique, war)}
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
    for old, new in form.names.items():
        if not new.isdecimal():
            text = text.replace(new, old).replace(new.capitalize(), old.capitalize())
    return text


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
    asked = [(state, player) for state in full_graph(game, 20_000).states for player in game.acting_players(state)]
    asked = asked[:: max(1, len(asked) // 200)]  # of larger games a part, from the first states to the last
    for every, (seed, hide) in enumerate(FORMS.values(), start=1):
        form = PromptForm(game, seed, hide)
        numbers = {int(old): int(new) for old, new in form.names.items() if old.isdecimal() and new.isdecimal()}
        for state, player in asked[:: every**2]:
            seen = game.observation(state, player), game.action_mask(state, player)
            query, sent = form.queries(*seen, "mix")
            said = [" ".join(line.split()) for line in undone(sent.state, form).splitlines()]
            true = [*TEXTS[game.facts.name](game, state, player, lambda card, numbers=numbers: numbers.get(card, card))]
            if game.facts.name == "table:grid" and seed is not None:  # its title and its players are replaced, too
                names = {"grid": "table", "you": game.table.players[player], "opponent": game.table.players[1 - player]}
                true[1] = re.sub("|".join(names), lambda found, names=names: names[found[0]], true[1])
            assert said == true, (state, player)
            legal = game.legal_actions(state, player)
            names = [in_new_numbers(game.describe_action(action, player), numbers) for action in legal]
            assert [undone(move.name, form) for move in query.moves] == names
            assert [move.action for move in query.moves] == [*legal]
            assert [move.name for move in sent.moves] == ([] if hide else [move.name for move in query.moves])
        assert undone(query.rules, form) == rules_in_new_numbers(game.how_to_play, numbers)
        assert sent.rules.startswith(query.rules)
        if seed is not None:
            assert (sent.game, sent.parameters, sent.observation) == ("", {}, [])
            told = rf"{game.facts.name}|{'|'.join(name for name in form.names if len(name) > 1)}"
            assert not re.search(rf"\b({told})(s|ed)?\b", sent.state + sent.rules, re.I)


# -- scripted models, which get nothing but a prompt ----------------------------------------


class Model:
    """Takes the place of an agent's process; `play` maps a query to a mix by name."""

    def __init__(self, play):
        self.play = play

    def ask(self, line):
        return json.dumps({"probabilities": self.play(json.loads(line))}).encode()

    def close(self):
        pass


MATRIX = {
    "perfect": lambda mix, seat: mix,
    "uniform": lambda mix, seat: dict.fromkeys(mix, 1 / len(mix)),
    "same": lambda mix, seat: {next(iter(mix)): 1.0},
    "half": lambda mix, seat: mix if seat == 0 else {next(iter(mix)): 1.0},
}


def matrix_model(kind):
    """Solves the table that the prompt shows."""

    def play(query):
        seat, (_, _, columns, *rows) = int("seat 1" in query["state"]), query["state"].splitlines()
        names, matrix = [row.split()[0] for row in rows], [[int(paid) for paid in row.split()[1:]] for row in rows]
        mix = baselines.solve(table_game(matrix)).strategies(TableState())[seat]
        return MATRIX[kind](dict(zip((names, columns.split())[seat], mix.tolist(), strict=True)), seat)

    return play


def climbed(monkeypatch, folder, play, rungs):
    monkeypatch.setattr("cardwar_play.interview.AgentProcess", lambda command: Model(play))
    with answers_in(folder, {}) as answers:
        return climb(Interviewer(rungs[0], "", answers, 2), rungs, lambda done: None), answers


@pytest.mark.parametrize("kind", MATRIX)
@pytest.mark.parametrize("form", FORMS)
def test_scripted_models_climb_the_ladder_as_known(monkeypatch, tmp_path, kind, form):
    rungs = make_rungs(3, 5, 7, FORMS[form][0] is not None, FORMS[form][1])
    found, _ = climbed(monkeypatch, tmp_path, matrix_model(kind), rungs)
    expected, even = [], np.full(3, 1 / 3)
    for rung in rungs:
        payoffs, (row, column) = rung.game.table.payoffs[0], baselines.solve(rung.game).strategies(TableState())
        row = {"uniform": even, "same": np.eye(3)[0]}.get(kind, row)
        column = {"uniform": even, "perfect": column}.get(kind, np.eye(3)[0])
        expected.append(((payoffs @ column).max() - (row @ payoffs).min()) / 2)
        assert payoffs.max(axis=0).min() > payoffs.min(axis=1).max()
    assert found["exploitability"] == pytest.approx(np.mean(expected), abs=1e-9)
    assert found["right"] == np.mean(np.array(expected) <= TOLERANCE)
    assert (kind == "perfect") == (found["right"] == 1.0)
    assert found["answered"] == 5
    assert (kind == "uniform") == (found["uniform"] == pytest.approx(found["exploitability"]))


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
    assert "12 answers\nanswers read leniently: number texts 12, rounded 12, surrounding text 12\n" in out
    found = json.loads(run(capsys, *call, "--json")[1])
    assert [(row["size"], row["answered"]) for row in found["rows"]] == [(2, 3), (3, 3)]
    assert found["lenient"] == {"number texts": 12, "rounded": 12, "surrounding text": 12}


def test_a_ladder_goes_on_without_invalid_answers(monkeypatch, tmp_path):
    rungs = make_rungs(2, 3, 1, False, True)
    found, answers = climbed(monkeypatch, tmp_path, lambda query: {"row1": 1.0}, rungs)
    assert (found["answered"], found["right"], "exploitability" in found) == (0, 0.0, False)
    assert [len(reasons) for reasons in answers.failures.values()] == [2, 2, 2]  # of the columns' seats


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("examples.undercut:Undercut --disguise", "undercut cannot be disguised"),
        ("--ladder 3,2", "--ladder (3,2) must be ascending sizes from 2 to 20"),
        ("--ladder 2,x", "--ladder (2,x) must be"),
        ("--ladder 2 --sample 3", "--ladder queries probabilities"),
        ("jujitsu --ladder 2", "name either a game or --ladder"),
        ("--seed 1", "name either a game or --ladder"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_line(capsys, tmp_path, call, said):
    assert said in run_refused(capsys, "interview", *call.split(), "--agent", "none", "--out", str(tmp_path / "out"))


def test_texts_that_a_declaration_does_not_cover_are_refused():
    for method in ({"describe": lambda self, state: f"cards {state.hands}"}, {"trick_outcomes": lambda *_: ()}):
        with pytest.raises(ValueError, match="cannot be disguised"):
            PromptForm(type("Changed", (Jujitsu,), method)(num_cards=3), 1)
    game = make_game("goofspiel", num_cards=6, bids="hidden")
    state = game.initial()[0].state
    with pytest.raises(ValueError, match="too many states to describe one under a disguise"):
        PromptForm(game, 1).queries(game.observation(state, 0), game.action_mask(state, 0), "mix")


def test_a_text_without_you_names_the_seat():
    game = TableGame(table_game([[1, 2], [3, 0]], players=["Ann", "Bob"]).table)
    silent = type("Silent", (TableGame,), {"how_to_play": "Choose.", "describe": lambda self, state: "P0 and P1"})
    for seat in (0, 1):
        seen = game.observation(TableState(), seat), game.action_mask(TableState(), seat)
        assert query_for(silent(game.table), *seen).state == f"You are in seat {seat}\nP0 and P1"


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
        ("move names", "number texts"),
    ),
    '{"probabilities": {"Raise": 0.33, "3": 0.66}}': ((1 / 3, 2 / 3), ("rounded",)),
    '{"probabilities": {"Raise": "zero", "3": "three thirds"}}': ((0.0, 1.0), ("number texts",)),
    '{"move": 3}': ((0.0, 1.0), ("move names",)),
}
REFUSED = {
    "Raise": "has no JSON object",
    '{"probabilities": {"Raise": 0.33, "3": 0.6}}': "add up to 0.93",
    '{"probabilities": {"Raise": 50, "3": 50}}': "must be in 0..1",
    '{"probabilities": {"Raise": "1/0", "3": 1}}': "is not a number",
    '{"probabilities": {"Raise": "nan", "3": "1e999"}}': "must be in 0..1",
    '{"probabilities": {"Raise": "-1/2", "3": 1}}': "must be in 0..1",
    '{"probabilities": {"Raise": 0.5, "raise": 0.5}}': "two probabilities",
    'Or {"probabilities": {"Raise": 0.5, "Raise": 0.5}}': "occurs twice",
    '{"move": "3", "probabilities": {"3": 1}}': "needs either",
    '{"move": "3"} {"note": 1}': "needs either",
    '{"move": "raise or 3"}': "is not a legal move",
}


def told(answer, *names):
    moves = [Move(action=action, name=name) for action, name in enumerate(names)]
    asked = {"query": 1, "ask": "any", "game": "", "parameters": {}, "rules": "", "state": "", "observation": []}
    return read_answer(answer.encode(), Query(**asked, moves=moves))


@pytest.mark.parametrize("line", [str, lambda text: json.dumps({"text": text})], ids=["plain", "text"])
def test_answers_are_read_where_they_mean_one_thing(line):
    for text, (mix, lenient) in ANSWERS.items():
        found = told(line(text), "Raise", "3")
        assert (found.probabilities, sorted(found.lenient)) == (pytest.approx(mix), [*lenient]), text
    for text, said in REFUSED.items():
        with pytest.raises(ValueError, match=said):
            told(line(text), "Raise", "3")
    assert told(line('{"move": "UP"}'), "Up", "UP").probabilities == (0.0, 1.0)
    with pytest.raises(ValueError, match="'up' is not a legal move"):
        told(line('{"move": "up"}'), "Up", "UP")
