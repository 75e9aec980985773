"""What a run of `cardwar train` is to do: one pass from the words of the command line, without computing anything."""

from dataclasses import replace
from pathlib import Path

import pytest
from thinning import each_row

from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.runs.configuration import Request, resolve, resolve_subject
from train.runs.loop import run as train

THREE = {"num_cards": "3"}


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """The folder of a finished run of CFR+, with 4 steps, an evaluation every 2, and seed 1."""
    folder = tmp_path_factory.mktemp("held") / "run"
    args = ALGORITHMS["cfr_plus"].args(steps=4, evaluate_every=2)
    train(make_game("jujitsu", num_cards=3), "cfr_plus", args, folder, seed=1)
    return folder


@each_row(
    ("asked", "algorithm", "seed", "folder", "steps", "every"),
    [
        (Request("jujitsu", THREE), "minimax_q", 0, "runs/jujitsu-num_cards=3-minimax_q-seed=0", 10_000_000, 1_000_000),
        (Request("dice_poker", seed=5), "ppo", 5, "runs/dice_poker-ppo-seed=5", 1_000_000, 50_000),
        (Request("jujitsu", THREE, {"steps": "2e2"}, "cfr_plus", folder=Path("x")), "cfr_plus", 0, "x", 200, 20),
        (Request("jujitsu", THREE, {"steps": "50"}, "cfr_plus", folder=Path("x")), "cfr_plus", 0, "x", 50, 5),
        (
            Request("jujitsu", THREE, {"steps": "50", "evaluate_every": "20"}, "cfr_plus", folder=Path("x")),
            *("cfr_plus", 0, "x", 50, 20),
        ),
    ],
)
def test_a_request_is_completed_by_defaults(asked, algorithm, seed, folder, steps, every):
    found = resolve(asked)
    assert (found.algorithm.name, found.seed, str(found.folder), found.resume) == (algorithm, seed, folder, False)
    assert (found.args.steps, found.args.evaluate_every) == (steps, every)
    assert found.game == make_game(asked.game, **{name: int(text) for name, text in asked.parameters.items()})


def test_a_run_to_resume_completes_its_request(held):
    ways = [
        Request(folder=held, resume=True),
        Request(str(held), resume=True),
        Request("jujitsu", folder=held, resume=True),
        Request("jujitsu", THREE, {"steps": "4"}, "cfr_plus", 1, held, resume=True),
    ]
    first, *others = map(resolve, ways)
    assert others == [first] * 3
    assert (first.algorithm.name, first.seed, first.folder, first.resume) == ("cfr_plus", 1, held, True)
    assert (first.args.steps, first.args.evaluate_every, first.notes) == (4, 2, ())
    longer = resolve(Request(str(held), {}, {"steps": "40"}, resume=True))
    assert (longer.args.steps, longer.args.evaluate_every) == (40, 2)


def test_a_folder_that_is_not_named_follows_from_the_request(held, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    request = Request("jujitsu", THREE, {}, "cfr_plus", 1, resume=True)
    assert resolve(request).args.steps == 1000
    path = resolve(request).folder
    path.parent.mkdir()
    path.symlink_to(held)
    assert resolve(request).args.steps == 4


@each_row(
    ("asked", "message"),
    [
        (Request(), "name a game, as in cardwar train jujitsu"),
        (Request(resume=True), "name the folder of the run to resume"),
        (Request("runs/none", resume=True), "runs/none contains no run to resume"),
        (Request(folder=Path("none"), resume=True), "none contains no run to resume"),
        (Request("jujitzu"), "did you mean 'jujitsu'"),
        (Request("jujitsu", THREE, {"algo": "ppo"}), r"no such option: --algo \(did you mean --algorithm\?\)"),
        (Request("jujitsu", THREE, {"wings": "2"}), "no parameter 'wings'"),
        (Request("jujitsu", THREE, {"steps": "many"}), r"steps \(many\) must be an integer"),
        (Request("jujitsu", THREE, {}, "magic"), "unknown algorithm 'magic'"),
        (Request("dice_poker", {}, {}, "minimax_q"), "minimax-Q supports only"),
        (Request("goofspiel", folder=Path("HELD"), resume=True), "a run of jujitsu num_cards=3, not of goofspiel"),
        (Request("jujitsu", {"num_cards": "4"}, folder=Path("HELD"), resume=True), "not of jujitsu num_cards=4"),
    ],
)
def test_requests_that_cannot_be_completed_are_refused(held, asked, message):
    if asked.folder == Path("HELD"):
        asked = replace(asked, folder=held)
    with pytest.raises(ValueError, match=message):
        resolve(asked)


def test_a_subject_needs_no_valid_arguments():
    assert resolve_subject(Request("lowest_unique", {}, {}, "minimax_q")).algorithm.name == "minimax_q"


@each_row(
    ("asked", "notes"),
    [
        (Request("war", {}, {}, "ppo"), ["defaults used: --entropy 0.03 --final-entropy 0.1"]),
        (Request("war", {}, {"entropy": "0.2"}, "ppo"), ["defaults used: --final-entropy 0.1"]),
        (Request("war", {}, {"entropy": "0.2", "final_entropy": "1"}, "ppo"), []),
        (Request("jujitsu", THREE, {}, "ppo"), []),
        (Request("jujitsu", THREE, {"steps": "100", "num_games": "10", "rollout": "5"}, "ppo"), ["up to 50 steps"]),
    ],
)
def test_what_may_surprise_is_noted(asked, notes):
    found = resolve(asked).notes
    assert len(found) == len(notes)
    assert all(text in note for text, note in zip(notes, found, strict=True))
