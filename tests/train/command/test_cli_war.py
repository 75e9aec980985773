"""`cardwar match` where results are played, not exact: WAR, for any number of players."""

import pytest
from command import run, run_json
from thinning import each_row

KEYS = {
    "game", "parameters", "policies", "wins", "nobody", "unfinished", "mean_rounds", "std_rounds", "mean_rounds_won",
    "games", "seed", "seconds", "mean_payoffs", "payoff_errors",
}  # fmt: skip


@pytest.mark.parametrize(
    ("line_up", "rounds", "winner"),
    [
        (("min", "simple_minded_1"), 13, 0),
        (("max", "simple_minded_1"), 36, 0),
        (("min", "max"), 1000, None),  # at the limit of rounds
        (("simple_minded_1", "simple_minded_2"), 1, None),
    ],
)
def test_written_games(capsys, line_up, rounds, winner):
    answer = run_json(capsys, "match", "war", *line_up)
    assert set(answer) == KEYS | {"rounds", "winner"}
    assert (answer["rounds"], answer["winner"], answer["games"]) == (rounds, winner, 1)
    assert answer["policies"] == list(line_up)
    assert answer["unfinished"] == (rounds == 1000)
    assert answer["nobody"] == (rounds == 1)
    assert answer["wins"] == [int(winner == 0), 0]
    assert answer["mean_rounds_won"] == [rounds if winner == 0 else None, None]
    assert answer["parameters"]["num_players"] == 2
    assert answer["seconds"] > 0


def test_the_number_of_players_follows_from_the_policies(capsys):
    answer = run_json(
        capsys, "match", "war", "general_purpose_adversary", "min", "max", "simple_minded_1", "max_rounds=99"
    )
    assert answer["parameters"] == {"num_players": 4, "ranks": 12, "discards": 3, "max_rounds": 99}
    assert answer["winner"] == 0
    given = run_json(capsys, "match", "war", "num_players=3", "min", "max", "max", "max_rounds=9")
    assert given["parameters"]["num_players"] == 3


def test_games_with_chance_are_played_by_number_and_seed(capsys):
    words = ("match", "war", "ranks=4", "discards=1", "max_rounds=30", "dummie", "max", "--games", "200")
    first, again, other = (run_json(capsys, *words, "--seed", seed) for seed in ("1", "1", "2"))
    for answer in (first, again, other):
        assert set(answer) == KEYS
        assert sum(answer["wins"]) + answer["nobody"] + answer["unfinished"] == answer["games"] == 200
        del answer["seconds"]
    assert first == again
    assert first["wins"] != other["wins"]
    assert (first["seed"], other["seed"]) == (1, 2)
    assert 0 < first["std_rounds"] < first["mean_rounds"] < 30


def test_tables_for_people(capsys):
    code, out, err = run(capsys, "match", "war", "min", "max", "max_rounds=40")
    assert (code, err) == (0, "")
    for text in ("1 game", "player_1", "not finished", "40 rounds; this game is deterministic"):
        assert text in out
    code, out, err = run(
        capsys, "match", "war", "ranks=3", "discards=0", "max_rounds=20", "dummie", "min", "--games", "50"
    )
    assert (code, err) == (0, "")
    for text in ("50 games", "dummie", "rounds on average, standard deviation"):
        assert text in out
    assert max(map(len, out.splitlines())) <= 80


@each_row(
    ("words", "message"),
    [
        (["war", "min"], "num_players (1) must be in 2..101"),
        (["war", "num_players=3", "min", "max"], "2 policies given for 3 players"),
        (["war", "num_players=2"], "0 policies given for 2 players"),
        (["war", "min", "best"], "unknown policy 'best'"),
        (["war", "min", "highest_card"], "HighestCard plays duels, not war"),
        (["war", "min", "dummie", "--games", "0"], "games (0) must be at least 1"),
        (["war", "min", "dummie", "--games", "many"], "Invalid value for '--games'"),
        (["war", "min", "runs/none"], "no run folder or policy file 'runs/none'"),
        (["war", "general_purpose_adversary", "dummie"], "must know what the others play, but DummiePlayer plays"),
        (["war", *["general_purpose_adversary"] * 2], "only one can know what the others do"),
        (["jujitsu", "num_cards=3", "uniform", "uniform", "--games", "9"], "--games (9) does not apply to jujitsu"),
        (["jujitsu", "num_cards=3", "uniform", "uniform", "--seed", "9"], "its results are exact"),
        (["jujitsu", "uniform", "uniform", "uniform"], "3 policies given for 2 players"),
        (["jujitsu", "num_cards=3", "min", "max"], "MinPlayer plays war, not jujitsu"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, words, message):
    code, out, err = run(capsys, "match", *words)
    assert (code, out) == (2, "")
    assert err.startswith("cardwar: ")
    assert message in err
    assert err.count("\n") == 1
