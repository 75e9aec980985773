"""Solutions that come with the package."""

import json
from fractions import Fraction

import numpy as np
import pytest

import baselines
from baselines.solutions import recorded as module
from cardwar_envs import make_game
from lab import solutions


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("jujitsu", {"num_cards": 4}), ("jujitsu", {"num_cards": 7}), ("goofspiel", {"num_cards": 5})],
)
def test_what_is_recorded_is_what_is_solved(name, parameters):
    game = make_game(name, **parameters)
    known = baselines.recorded(game)
    solution = baselines.solve(game, exact=known.exact is not None)
    assert (known.exact, known.value) == (solution.exact, pytest.approx(solution.value, abs=1e-12))
    for start in game.initial():
        one, other = known.at(start.state), solution.at(start.state)
        assert one.description == other.description
        np.testing.assert_allclose(one.matrix, other.matrix, atol=1e-11)
        assert one.exact_matrix == other.exact_matrix
        for mine, theirs in zip(one.mixes, other.mixes, strict=True):
            assert (mine.actions, mine.exact, mine.unique) == (theirs.actions, theirs.exact, theirs.unique)
            np.testing.assert_allclose((mine.low, mine.high), (theirs.low, theirs.high), atol=1e-9)


def test_every_recorded_mix_guarantees_its_value():
    for command in module.commands():
        name, *words = command.removeprefix("cardwar solve ").removesuffix(" --exact").split()
        if name == "dice_poker":
            continue
        game = solutions.game_from_words(name, words)
        known = baselines.recorded(game)
        assert known.value == pytest.approx(0.0, abs=1e-9)
        for start in game.initial():
            play = known.at(start.state)
            first, second = (mix.probabilities for mix in play.mixes)
            assert (first @ play.matrix).min() == pytest.approx(play.value, abs=1e-8)
            assert (play.matrix @ second).max() == pytest.approx(play.value, abs=1e-8)


def test_dice_poker_is_recorded_in_rationals():
    known = baselines.recorded(make_game("dice_poker"))
    assert known.exact == Fraction(5, 54)
    assert known.data["exact_strategies"][0]["1"] == {"check": "1/3", "raise": "2/3"}
    assert known.data["ranges"][1]["4"]["call"] == [pytest.approx(1 / 3), 1.0]
    assert known.data["exact_ranges"][1]["4"]["call"] == ["1/3", "1"]
    with pytest.raises(ValueError, match="players do not see the state"):
        known.at()


def test_what_is_not_recorded_is_named():
    with pytest.raises(ValueError, match=r"no equilibrium of jujitsu .* is recorded; .* are: .*jujitsu num_cards=13"):
        baselines.recorded(make_game("jujitsu", num_cards=5, payoff="margin"))
    game = make_game("goofspiel", num_cards=4)
    with pytest.raises(ValueError, match="can start in 4 states; name one"):
        baselines.recorded(game).at()
    with pytest.raises(ValueError, match="is not recorded; only initial states are"):
        baselines.recorded(game).at("elsewhere")


def test_damage_is_seen(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(solutions, "SIZES", {})
    for content in (b'{"solutions": []}\n', b'{"solutions": [1]}\n'):
        (tmp_path / "some.json").write_bytes(b'{"solutions": []}\n')
        solutions.main([], tmp_path)
        (tmp_path / "some.json").write_bytes(content)
        module.entries.cache_clear()
        if content == b'{"solutions": []}\n':
            assert module.commands() == []
        else:
            with pytest.raises(ValueError, match=r"some.json is .*damaged: its checksum is not that in checksums"):
                module.commands()
    module.entries.cache_clear()


def test_a_run_that_was_killed_goes_on(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(solutions, "SIZES", {"jujitsu": ["num_cards=1", "num_cards=2"]})
    monkeypatch.setattr(
        solutions, "solved", lambda game, words: asked.append(words) or {"command": f"cardwar solve {game} {words}"}
    )
    line = json.dumps({"command": "cardwar solve jujitsu num_cards=2"})
    (tmp_path / "jujitsu.json").write_text(f'{{"solutions": [{line}]}}')
    solutions.main(["jujitsu"], tmp_path)
    assert asked == ["num_cards=1"]
    made = json.loads((tmp_path / "jujitsu.json").read_text())["solutions"]
    assert [entry["command"][-1] for entry in made] == ["1", "2"]
