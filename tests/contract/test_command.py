"""`cardwar check` and the pytest plugin, for games."""

import json
from pathlib import Path

from command import run, run_plugin, run_refused
from thinning import each_row

from cardwar_envs.contract import CHECKS

HERE = Path(__file__).parent
WRONG = "wrong_values:Uncompared"


def test_check_prints_the_report(capsys):
    code, out, err = run(capsys, "check", "bidding:Bidding", "cards=2")
    assert (code, err) == (0, "")
    first, last = ("Bidding(cards=2)", f"all 11 states: {len(CHECKS) - 11} passed, 11 not applicable")
    assert out.splitlines() == [first, last]
    out = run(capsys, "check", "bidding:Bidding", "cards=2", "--all")[1].splitlines()
    assert (out[0], out[1], out[-1]) == (first, "passed          game_is_a_frozen_dataclass", last)
    assert len(out) == len(CHECKS) + 2


def test_check_as_json(capsys):
    code, out, _ = run(capsys, "check", "dice_poker", "sides=2", "--json")
    answer = json.loads(out)
    assert (code, answer["game"], answer["passed"], answer["complete"]) == (0, "dice_poker sides=2", True, True)
    assert [each["check"] for each in answer["checks"]] == list(CHECKS)
    code, out, _ = run(capsys, "check", "bidding:Bidding", "cards=5", "--max-states", "40", "--seed", "2", "--json")
    assert (code, json.loads(out)["complete"]) == (0, False)


def test_check_fails_with_exit_code_1(capsys):
    code, out, _ = run(capsys, "check", WRONG)
    assert code == 1
    *_, failed, demanded, counts = out.splitlines()
    assert failed.startswith("failed          unlike_games_differ: a game that differs in bonus counts as equal")
    assert demanded.startswith(" " * 16 + "must hold: Games are equal, with equal hashes, if and only if")
    assert " 1 failed" in counts


@each_row(
    ("arguments", "message"),
    [
        (["jujitsu", "num_cards=0"], "num_cards (0) must be in 1.."),
        (["jujitsu", "cards=3"], "jujitsu has no parameter 'cards' (did you mean 'num_cards'?); it has num_cards"),
        (["jujitsu", "3"], "'3' must read KEY=VALUE"),
        (["jujitsu", "--zero-sum"], "--zero-sum is for environments"),
        (["jujitsu", "--max-states", "0"], "max_states (0) must be in 1.."),
        (["cardwar/jujitsu-v0", "--max-states", "5"], "--max-states is for games, not for environments"),
        (["bidding:Nothing"], "bidding has no 'Nothing'"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, arguments, message):
    assert message in run_refused(capsys, "check", *arguments)


def test_the_plugin_makes_a_test_of_every_check(tmp_path):
    done = run_plugin(tmp_path, "-v", "--cardwar-game", "bidding:Bidding cards=2", "--cardwar-game", WRONG, path=HERE)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"collected 0 items\n\nbidding:Bidding cards=2::{next(iter(CHECKS))} " in done.stdout
    assert f"1 failed, {2 * len(CHECKS) - 23} passed, 22 skipped" in done.stdout
    assert "a game that differs in bonus counts as equal" in done.stdout
    assert "there are no compiled rules" in done.stdout
