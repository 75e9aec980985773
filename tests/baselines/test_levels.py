"""The policies that come with the package: level:1 to level:5."""

import re
import subprocess
import sys
from dataclasses import replace
from itertools import groupby, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from brute_force import asked
from command import run, run_json
from thinning import each_row

from baselines import exploitability, make_policy
from baselines.opponents.levels.level import levels, read_level
from baselines.opponents.levels.network import NumpyNetwork
from cardwar_envs import make_game
from cardwar_envs.envs.game_batch import GameBatch
from cardwar_envs.games.jujitsu import Jujitsu
from lab.levels import LADDERS, Ladder, make_ladder
from train.algorithms.registry import ALGORITHMS
from train.runs.loop import reproducible

DOCUMENT = Path(__file__).parents[2] / "docs" / "levels.md"
CHEAP = [each for each in levels() if each.parameters.get("num_cards", 0) <= 8]
LARGE = [each for each in levels() if each not in CHEAP]


def name(level):
    return f"{level.title} {level.number}"


def seen(game, count=200, seed=3):
    """What both players see in states that uniform play reaches: observations and masks."""
    observations, masks = GameBatch(game, count, seed, start="random").reset()
    return observations.reshape(-1, game.facts.observation_size), masks.reshape(-1, game.facts.num_actions)


def test_there_are_five_levels_of_each_game_and_they_get_stronger():
    sizes = {"goofspiel": (4, 5), "jujitsu": (5, 8, 13)}
    titles = ("dice_poker", *(f"{game} num_cards={n}" for game in sizes for n in sizes[game]))
    assert [(each.title, each.number) for each in levels()] == list(product(titles, (1, 2, 3, 4, 5)))
    for weaker, stronger in pairwise(levels()):
        assert stronger.number == 1 or weaker.exploitability > 1.2 * stronger.exploitability
    assert sum(each.path.stat().st_size for each in levels()) < 3_000_000


def test_the_document_has_the_table_of_the_files():
    rows = [line for line in DOCUMENT.read_text().splitlines() if re.search(r"\| (cfr_plus|fitted_value) \|", line)]
    ladders = groupby(levels(), key=lambda each: (each.title, each.learner))
    assert rows == [
        f"| {title} | {learner} | {' | '.join(f'{each.exploitability:.6f}' for each in ladder)} |"
        for (title, learner), ladder in ladders
    ]


def test_the_files_were_made_as_the_program_makes_them():
    made = [(ladder.words, ladder.learner, steps) for ladder in LADDERS for steps in ladder.steps]
    stored = [
        (f"{each.title}{' view=word' * ('view' in each.parameters)}", each.learner, each.steps) for each in levels()
    ]
    assert stored == made


def test_a_ladder_can_be_made_again(tmp_path):
    for again in make_ladder(LADDERS[0], tmp_path):
        shipped = next(each for each in levels() if (each.title, each.number) == (again.title, again.number))
        assert again.path.read_bytes() == shipped.path.read_bytes()


def test_a_network_is_stored_as_it_plays(tmp_path):
    game = make_game("jujitsu", num_cards=3, view="word")
    arguments = {"num_states": 32, "width": 8}
    (made,) = make_ladder(Ladder("jujitsu num_cards=3 view=word", "fitted_value", [40], arguments), tmp_path)
    args = ALGORITHMS["fitted_value"].args(steps=40, **arguments)
    with reproducible(0):
        learner = ALGORITHMS["fitted_value"].learner(game, args, 0)
        learner.advance(40)
    observations, _ = seen(game)
    values = read_level(made, game)._values._network.outputs(observations)
    assert len(np.unique(values)) > 5
    assert values == pytest.approx(learner.policy().networks.outputs(observations), abs=0.02)


def test_the_command_lists_them(capsys):
    assert run(capsys, "levels")[1].count("level:") == len(levels()) + 1
    listed = run_json(capsys, "levels")["levels"]
    assert [each["exploitability"] for each in listed] == [each.exploitability for each in levels()]


@pytest.mark.parametrize("level", CHEAP, ids=name)
def test_a_file_is_as_exploitable_as_it_says(level):
    game = level.learned_for()
    played = exploitability(game, f"level:{level.number}")
    assert played == pytest.approx(level.exploitability, abs=1e-9)
    if level.parameters.get("num_cards") == 5:  # also if cards are shown instead of words
        assert exploitability(replace(game, view="cards"), f"level:{level.number}") == pytest.approx(played, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("level", LARGE, ids=name)
def test_a_large_file_is_as_exploitable_as_it_says(level):
    played = exploitability(level.learned_for(), f"level:{level.number}")
    assert played == pytest.approx(level.exploitability, abs=1e-5)


@pytest.mark.parametrize("level", [*CHEAP[::5], LARGE[-1]], ids=name)
@pytest.mark.parametrize("view", ["word", "cards"])
def test_a_level_answers_with_probabilities_of_legal_actions_row_by_row(level, view):
    game = level.learned_for()
    game = replace(game, view=view) if "view" in level.parameters else game
    policy = make_policy(f"level:{level.number}", game)
    observations, masks = seen(game)
    answer = policy.action_probabilities(observations, masks)
    assert answer.dtype == np.float64
    assert np.allclose(answer.sum(axis=1), 1.0, atol=1e-12)
    assert (answer[masks == 0] == 0.0).all()
    assert (answer >= 0.0).all()
    for row in range(0, len(observations), 40):
        one = slice(row, row + 1)
        assert np.array_equal(policy.action_probabilities(observations[one], masks[one]), answer[one])
    assert repr(policy).startswith(f"<level:{level.number} of {level.title}, exploitability ")


@pytest.mark.parametrize("level", LARGE[::4], ids=name)
def test_cards_are_played_as_their_words_are(level):
    answers = []
    for game in (level.learned_for(), replace(level.learned_for(), view="cards")):
        after = game.transitions(game.initial()[0].state, {0: 3, 1: 3})[0].state
        answers.append(asked(game, make_policy(f"level:{level.number}", game), after, 0))
    on_words, on_cards = answers
    assert on_cards[:3] == pytest.approx(on_words[:3])  # rank 4, which both have played, is gone
    assert on_cards[4:] == pytest.approx(on_words[3:-1])


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["pydantic"] = None  # importing them fails
import cardwar_envs, gymnasium
from baselines.opponents.levels.level import levels
for each in levels():
    game = each.learned_for()
    state = game.initial()[0].state
    policy = cardwar_envs.core.policy_names.named_policy(f"level:{each.number}", game)
    policy.action_probabilities(game.observation(state, 0)[None], game.action_mask(state, 0)[None])
env = gymnasium.make("cardwar/Jujitsu-v0", opponent="level:2", num_cards=5)
observation, info = env.reset(seed=0)
env.step(int(observation["action_mask"].argmax()))
print(len(levels()))
"""


def test_levels_play_without_torch():
    done = subprocess.run([sys.executable, "-c", WITHOUT_TORCH], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "30", done.stderr


class LowestWins(Jujitsu):
    def trick_outcomes(self, rank_0, rank_1):
        return super().trick_outcomes(rank_1, rank_0)


@each_row(
    "game",
    [
        make_game("jujitsu", num_cards=6),
        make_game("jujitsu", num_cards=5, ties="discard"),
        make_game("dice_wars"),
        make_game("dice_poker", sides=7),
        LowestWins(num_cards=5),  # other rules, although parameters and name are the same
    ],
)
def test_other_games_have_no_levels(game):
    with pytest.raises(ValueError, match="has no levels with these parameters; there are levels for dice_") as said:
        make_policy("level:1", game)
    assert "are equilibrium, " in str(said.value)


@each_row("wrong", ["level:9", "level:0", "level", "level:", "level:one", "level:-1", "level:1.0"])
def test_there_is_no_such_level(wrong):
    with pytest.raises(ValueError, match=r"level \('.*'\) must be one of 1, 2, 3, 4, 5"):
        make_policy(wrong, make_game("dice_poker"))


def test_layers_that_do_not_fit_are_refused():
    game = make_game("jujitsu", num_cards=3)
    with pytest.raises(ValueError, match="does not fit"):
        NumpyNetwork(game, [(np.zeros((4, 5)), np.zeros(4))])
