"""What the command says before a long wait: how long solving takes."""

import re

from command import run
from thinning import each_row

from train import estimates

LINE = r"[\d,]+ matrix games on \d+ processors take about \d+ (seconds|minutes|hours|days)\.\n"


def test_solve_says_its_estimate_before_long_work(capsys, monkeypatch):
    code, _, err = run(capsys, "solve", "jujitsu", "num_cards=5")
    assert (code, err) == (0, "")
    monkeypatch.setattr(estimates, "SECONDS_PER_MATRIX_GAME", 30.0)
    code, out, err = run(capsys, "solve", "jujitsu", "num_cards=5")
    assert code == 0
    assert re.fullmatch(LINE, err)
    assert "value 0.000000" in out


@each_row(("seconds", "words"), [(20, "about 20 seconds"), (150, "about 2 minutes"), (9000, "about 2 hours")])
def test_estimates_in_words(seconds, words):
    assert estimates.in_words(seconds) == words
