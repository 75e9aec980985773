"""The command without one of its standard streams, or with a pipe that nobody reads."""

import subprocess
import sys

from thinning import each_row

UNWRITTEN = "cardwar: standard output cannot be written: Bad file descriptor\n"
PLAY = "play jujitsu num_cards=3"


@each_row(
    ("words", "code", "said"),
    [
        (f"{PLAY} <&-", 2, "cardwar: the input ended before the game, at move 1\n"),
        (f"{PLAY} --web --port 0 <&- >&-", 2, UNWRITTEN),
        (f"{PLAY} >&-", 2, UNWRITTEN),
        ("levels >&-", 2, UNWRITTEN),
        (f"{PLAY} <&- >&- 2>&-", 2, ""),
        ("nonsense 2>&-", 2, ""),
        ("--version 2>&-", 0, ""),
        ("levels | true; exit ${PIPESTATUS[0]}", 1, ""),
    ],
)
def test_a_closed_stream_is_one_clear_line(tmp_path, words, code, said):
    command = f"{sys.executable} -m train.cli {words}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (code, said)
