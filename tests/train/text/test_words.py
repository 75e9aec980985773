"""Text to games and arguments, and back."""

from dataclasses import dataclass

import pytest
from thinning import each_row

from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.runs.identity import run_identity, train_words
from train.text.game_names import game_from, game_in_words
from train.text.parsing import converted, fields_from, split_words


@each_row(
    ("text", "hint", "value"),
    [
        ("3", int, 3),
        ("-3", int | None, -3),
        ("1e5", int, 100_000),
        ("100_000", int, 100_000),
        ("2E3", int, 2000),
        ("1e-3", float, 0.001),
        ("2,3, 6", tuple[int, ...] | None, (2, 3, 6)),
        ("carry", str, "carry"),
    ],
)
def test_text_becomes_a_value_of_the_type(text, hint, value):
    found = converted("it", text, hint)
    assert (found, type(found)) == (value, type(value))


@each_row(
    ("text", "hint", "message"),
    [
        ("1.0", int, r"it \(1.0\) must be an integer"),
        ("1e-3", int, r"it \(1e-3\) must be an integer"),
        ("1e99", int, r"it \(1e99\) must be an integer"),
        ("true", int, r"it \(true\) must be an integer"),
        ("", int, r"it \(\) must be an integer"),
        ("much", float, r"it \(much\) must be a number"),
        ("1,x", tuple[int, ...], r"it \(x\) must be an integer"),
    ],
)
def test_text_that_does_not_read_as_the_type_is_refused(text, hint, message):
    with pytest.raises(ValueError, match=message):
        converted("it", text, hint)


def test_a_run_is_made_again_by_its_words(tmp_path):
    game = make_game("dinosaur_war", hand_0=(2, 3, 6), hand_1=(1, 3, 5))
    entry = ALGORITHMS["best_response"]
    args = entry.args(opponent="runs/a b=c", learning_rate=1e-5, steps=7)
    identity = run_identity(game, entry.name, args, 5)
    first, *words = train_words(game_in_words(game), identity, tmp_path / "x y")
    parameters, options, (name, *rest) = split_words(words)
    assert (first, rest) == ("train", [])
    assert game_from(name, parameters) == game
    assert options.pop("algorithm") == entry.name
    assert options.pop("seed") == "5"
    assert options.pop("out") == str(tmp_path / "x y")
    assert entry.args_from(options) == args


def test_names_that_do_not_exist_are_refused_with_those_that_do():
    kind = ALGORITHMS["cfr_plus"].args_type()
    common = "steps, evaluate_every, cpu_seconds, evaluations, measure, against, matches, bound_steps"
    with pytest.raises(ValueError, match=f"it has no parameter 'wings'; it has {common}, reach"):
        fields_from(kind, {"wings": "2"}, "it")


@dataclass(frozen=True)
class NotReadable:
    cards: "Cards" = ()  # noqa: F821  # as if it were imported for type checkers only


def test_types_that_cannot_be_read_matter_only_where_a_word_needs_them():
    assert fields_from(NotReadable, {}, "theirs") == {}
    with pytest.raises(ValueError, match="theirs: the types of its parameters cannot be read: name 'Cards'"):
        fields_from(NotReadable, {"cards": "1,2"}, "theirs")


@each_row(("digits", "said"), [(300, r"num_cards \(123123…\(300 digits\)\) must be in"), (5001, "digits")])
def test_long_numbers_are_abbreviated(digits, said):
    with pytest.raises(ValueError, match=said) as refused:
        make_game("jujitsu", num_cards=(10**digits - 1) // 999 * 123)
    assert len(str(refused.value)) < 100
