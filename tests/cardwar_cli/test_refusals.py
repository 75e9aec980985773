"""Mistakes on the command line: each is one line that says what is wrong, and nothing is written."""

import shlex

from command import run, run_refused
from thinning import each_row

HUGE = "1" + "0" * 400

# The words after `cardwar` -> what the line says, among other things.
ROWS = {
    "nonsense": "No such command 'nonsense'",
    # games and their parameters
    "solve": "Missing argument 'GAME'",
    "solve chess": "unknown game 'chess'; known games are",
    "solve jujitzu": "unknown game 'jujitzu' (did you mean 'jujitsu'?); known games are",
    "solve jujitsu num_cards=abc": "num_cards (abc) must be an integer",
    "solve jujitsu num_cards=3 num_cards=4": "num_cards is given twice",
    "solve dinosaur_war hand_0=1,2 hand_1=1": "hands of 2 and 1 cards must be of equal size",
    "solve dinosaur_war hand_0=1,x hand_1=1,2": "hand_0 (x) must be an integer",
    "solve jujitsu num_card=3": "no parameter 'num_card' (did you mean 'num_cards'?); it has",
    "solve jujitsu uniform": "'uniform' must read KEY=VALUE",
    "solve jujitsu num_cards=20 --max-states 100000": "at least 1,433,976,550 matrix games",
    "solve jujitsu --nonsense": "No such option: --nonsense",
    "solve jujitsu --num_cards 5": "a parameter of the game is written num_cards=VALUE",
    "exploit jujitsu num_cards=5 uniform": "KEY=VALUE, a parameter of the game; --policy names the policy",
    "solve .:x": "module '.' must be a full name",
    "solve dice_poker sides=": "sides () must be an integer",
    "solve dice_poker ante=one": "ante (one) must be a number",
    f"exploit dice_poker ante={HUGE}": "must be in 0..1e+09",
    # solve
    "solve lowest_unique": "solving is for two-player zero-sum games",
    "solve jujitsu num_cards=5 --state 'hands=1,9/2,3'": "cannot hold: [9]; a complete state of jujitsu: 'hands=1,2,",
    "solve jujitsu --state 'hands=/ score=1'": "the game is over in this state",
    "solve jujitsu num_cards=5 --selection best": "selection ('best') must be one of",
    "solve dice_poker --state rolls=1,1": "does not apply to dice_poker: players do not see the state",
    "solve jujitsu num_cards=8 --engine spark": "engine (spark) must be threads or ray",
    "solve jujitsu num_cards=8 --keep-layers 1": "keep_layers (1) must be at least 2",
    "solve jujitsu num_cards=8 --keep-layers two": "Invalid value for '--keep-layers'",
    f"solve jujitsu num_cards=8 --cache {shlex.quote(__file__)}": "File exists",
    "solve jujitsu num_cards=8 --exact --cache layers": "cache (layers) does not apply",
    "solve jujitsu num_cards=8 --exact --engine ray": "engine (ray) does not apply",
    "solve jujitsu num_cards=500": "at least 10^148 undecided states, and max_states is 1,000,000; with num_cards=",
    "solve jujitsu num_cards=5 --max-states 9": "89 matrix games to solve, more than max_states (9); with num_cards=3",
    "solve dice_poker --keep-layers 3": "keep_layers (3) does not apply",
    # exploit
    "exploit jujitsu num_cards=3 --policy best": "unknown policy 'best'; policies for jujitsu are",
    "exploit war --policy maxx": "unknown policy 'maxx' (did you mean 'max'?); policies for war are dummie,",
    "exploit jujitsu num_cards=3 --policy runs/none": "no run folder or policy file 'runs/none'",
    "exploit goofspiel num_cards=14": "--approximate finds a lower bound",
    # match
    "match jujitsu num_cards=3 uniform": "1 policies given for 2 players",
    "match jujitsu num_cards=3 uniform uniform --games 9": "--games (9) does not apply to jujitsu",
    "match jujitsu num_cards=3 uniform uniform --seed 9": "its results are exact",
    "match war min": "num_players (1) must be in 2..101",
    "match war num_players=3 min max": "2 policies given for 3 players",
    "match war num_players=2": "0 policies given for 2 players",
    "match war min dummie --games 0": "0 must be an integer, at least 1",
    "match war min dummie --games many": "Invalid value for '--games'",
    "match war min runs/none": "no run folder or policy file 'runs/none'",
    "match war general_purpose_adversary dummie": "_adversary needs deterministic opponents, but dummie plays",
    "match war general_purpose_adversary general_purpose_adversary": "only one policy may depend on the others",
    # play
    "play": "cardwar: name a game, as in cardwar play jujitsu; cardwar play --web lets you choose one\n",
    "play nim": "unknown game 'nim'",
    "play jujitsu --games 0": "games (0) must be in 1..1000",
    "play --games 2 --web": "--games requires a game",
    "play jujitsu uniform": "'uniform' must read KEY=VALUE, a parameter of the game; opponents are named",
    "play jujitsu --seed -1": "seed (-1) must be in 0..4294967295",
    "play war num_players=4 --against min,max": "2 opponents given for 3 seats",
    "play war --against general_purpose_adversary": "needs to know the other players' policies",
    "play jujitsu --port 1": "--port (1) requires --web",
    "play jujitsu --web --port 65536": "port (65536) must be in 0..65535",
    # interview
    "interview jujitsu --agent none --out out --repeats 8": "--repeats (8) requires --form move",
    "interview jujitsu --agent none --out out --form words": "--form (words) must be one of mix, move",
    "interview jujitsu --agent none --out out --games 4 --sample 4": "cannot be combined",
    "interview jujitsu --agent none --out out --form move --games 4": "--form move cannot be combined with --games",
    "interview lowest_unique --agent none --out out --games 4": "use --form mix, without",
    # watch
    "watch jujitsu uniform": "1 policies given for 2 players",
    "watch jujitsu num_cards=3 uniform uniform --gif game.png": "(game.png) must be a file whose name ends in .gif",
    "watch jujitsu num_cards=3 uniform uniform --gif /nowhere/x.gif": "/nowhere is not an existing folder",
    "watch jujitsu num_cards=3 uniform uniform --seed -1": "Invalid value for '--seed'",
    "watch war min max max_rounds=500 --gif war.gif": "501 states, but --gif shows at most 500; max_rounds=... ",
    "watch jujitsu num_cards=3 uniform uniform --games 3": "--games",
    # train
    "train jujitsu --algo ppo": "did you mean --algorithm?",
    "train runs/none --resume": "runs/none contains no run to resume",
    "train --list-options --json": "--json cannot be combined with --list-options",
    "train dice_poker --algorithm minimax_q": "cardwar: dice_poker: minimax-Q supports only two-player zero-sum games "
    "with a public state; ppo, mmd and nfsp learn any game\n",
    # reproduce
    "reproduce": "Missing argument 'NAME'",
    "reproduce fetterman": "unknown source 'fetterman'; expected one of fetterman-2023, sanwal-drechsler-2002",
    # playoffs
    "playoffs lowest_unique": "play-offs are for two-player zero-sum games",
    "playoffs war num_players=3 min max": "play-offs are for two-player zero-sum games",
    "playoffs jujitsu num_cards=3 uniform uniform": "uniform is given twice",
    "playoffs jujitsu num_cards=3 runs/none": "no run folder or policy file 'runs/none'",
    "playoffs jujitsu --games 9": "--games (9) does not apply to jujitsu: its results are exact",
    "playoffs jujitsu num_cards=3 --seed 9": "--seed (9) requires --games",
    "playoffs jujitsu --wings 9": "No such option: --wings",
    "playoffs war general_purpose_adversary min": "general_purpose_adversary needs to know its opponent",
    "playoffs war min max": "--games N samples N games per pair instead",
    "playoffs war min max --games 0": "0 must be an integer, at least 1",
}


@each_row(("words", "said"), ROWS.items())
def test_a_mistake_is_one_clear_line_and_nothing_is_written(capsys, tmp_path, monkeypatch, words, said):
    monkeypatch.chdir(tmp_path)
    assert said in run_refused(capsys, *shlex.split(words))
    assert not list(tmp_path.iterdir())


def test_an_opponent_that_cannot_be_computed_is_refused_after_the_rules(capsys):
    code, out, err = run(capsys, "play", "war", "--against", "equilibrium")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "more than 249,750 positions" in err
    assert "the pot is the cards on the table" in " ".join(out.split())
