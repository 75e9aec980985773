"""Games of OpenSpiel here, and ours there: figures agree with OpenSpiel's and with a recursion over its histories."""

import itertools
import os
import pickle
import sys

import numpy as np
import pytest
from command import run, run_json, run_refused

import baselines
from cardwar_envs import GAMES, check_game, make_game
from cardwar_envs.openspiel import (
    OpenSpielGame,
    from_openspiel,
    from_openspiel_policy,
    loading,
    policies,
    to_openspiel,
    to_openspiel_policy,
)
from train.text.game_names import json_parameters

pyspiel = pytest.importorskip("pyspiel")

DESCENDING = "goofspiel(num_cards=3,points_order=descending)"
# Their histories take OpenSpiel seconds.
SLOW_THERE = ("dice_wars", "dinosaur_war", "goofspiel", "lowest_unique")
COMPARED = [
    DESCENDING,
    "goofspiel(num_cards=3,returns_type=point_difference)",
    "goofspiel(num_cards=3,players=3,points_order=ascending)",
    "oshi_zumo(coins=3,size=1,horizon=4,min_bid=1)",
    "oshi_zumo(coins=3,size=1,horizon=3,alesia=true)",
    "blotto(coins=5)",
    "matrix_rpsw",
    "matrix_shapleys_game",
    "matching_pennies_3p",
    "repeated_game(stage_game=matrix_pd(),num_repetitions=3)",
    "pathfinding(players=2,horizon=2,grid=Ab\nBa)",
    "snake(rows=4,columns=4,horizon=1)",
    "nim(pile_sizes=1;2)",
]
# Games with several moves, and how their states are identified; all but two have chance.
LONGER = {
    "capture_the_flag(horizon=5,grid=a.b\n...)": "string",
    "goofspiel(num_cards=4)": None,
    "laser_tag(horizon=2,grid=S.S)": None,
    "markov_soccer(horizon=6,grid=BO\nAO)": "string",
    "oshi_zumo(coins=4,size=1,horizon=4)": None,
    "pathfinding(players=2,horizon=3,grid=A.b\nB.a)": None,
    "repeated_game(stage_game=matrix_rpsw(),num_repetitions=3)": None,
    "snake(rows=4,columns=4,horizon=2)": None,
}
SEEDS = range(5)


class Mixes:
    """A random mix for each state of a game."""

    def __init__(self, game, seed):
        self.game, self.seed = game, seed

    def mix(self, state, player):
        legal = self.game.legal_actions(state, player)
        drawn = np.random.default_rng([self.seed, state.number, player]).dirichlet(np.ones(len(legal)))
        return dict(zip(legal, drawn.tolist(), strict=True))

    def action_probabilities(self, observations, action_masks):
        found = np.zeros(action_masks.shape)
        for row, seen in zip(found, observations, strict=True):
            mix = self.mix(*self.game.state_of(seen))
            row[list(mix)] = list(mix.values())
        return found


def recursion(spiel_state, mixes, known):
    """`[2, policies, players]`: payoffs of following each policy, and of a best response, over all histories.

    `known`, if not None, keeps what follows a state of equal text after as many moves.
    """
    players = range(spiel_state.num_players())
    if spiel_state.is_terminal():
        return np.broadcast_to(spiel_state.returns(), (2, len(SEEDS), len(players)))
    if spiel_state.is_chance_node():
        after = [(share, spiel_state.child(action)) for action, share in spiel_state.chance_outcomes()]
        return sum(share * recursion(state, mixes, known) for share, state in after)
    key, paid = (spiel_state.move_number(), str(spiel_state)), np.array(spiel_state.returns())
    if known is not None and key in known:
        return known[key] + paid
    together = spiel_state.is_simultaneous_node()
    acting = list(players) if together else [spiel_state.current_player()]
    mixed = {player: mixes(spiel_state, player) for player in acting}
    follow, best = np.zeros((len(SEEDS), len(players))), [{} for _ in players]
    for joint in itertools.product(*mixed.values()):
        after = spiel_state.clone()
        after.apply_actions(joint) if together else after.apply_action(joint[0])
        then, replied = recursion(after, mixes, known)
        shares = {player: mixed[player][action] for player, action in zip(acting, joint, strict=True)}
        follow += np.prod([*shares.values()], axis=0)[:, None] * then
        for player, mine in itertools.zip_longest(players, joint if together else ()):
            others = np.prod([np.ones(len(SEEDS)), *(shares[each] for each in shares if each != player)], axis=0)
            mine = joint[0] if player in acting and not together else mine
            best[player][mine] = best[player].get(mine, 0.0) + others * replied[:, player]
    found = np.array([follow, np.stack([np.max([*each.values()], axis=0) for each in best], axis=1)])
    if known is not None:
        known[key] = found - paid
    return found


def nash_convs_there(game, known):
    """NashConv of `Mixes` with each of `SEEDS`, from OpenSpiel's states."""
    policies = [Mixes(game, seed) for seed in SEEDS]

    def mixes(spiel_state, player):
        state = game.state_at(spiel_state.history())
        each = [policy.mix(state, player) for policy in policies]
        return {action: np.array([mix[action] for mix in each]) for action in each[0]}

    follow, best = recursion(pyspiel.load_game(game.spiel).new_initial_state(), mixes, known)
    return (best - follow).sum(axis=1)


@pytest.mark.thin
@pytest.mark.parametrize(
    ("name", "key"),
    [
        *itertools.product(COMPARED, [None, "history"]),
        *(pytest.param(*row, marks=pytest.mark.slow) for row in LONGER.items()),
    ],
)
def test_nash_conv_is_that_of_openspiels_histories(name, key):
    game = from_openspiel(name, key)
    assert game.facts.state_identity.startswith("histories") or key != "history"
    ours = [baselines.nash_conv(game, Mixes(game, seed)).total for seed in SEEDS]
    assert ours == pytest.approx(nash_convs_there(game, {} if key == "string" else None).tolist(), abs=1e-9)
    assert min(ours) > 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("name", LONGER)
def test_longer_games_go_through_the_commands(capsys, name):
    words = [f"openspiel:{name}", *(f"state_key={key}" for key in [LONGER[name]] if key)]
    found = run_json(capsys, "exploit", *words, "--policy", "uniform")
    if from_openspiel(name, LONGER[name]).facts.zero_sum:
        solved = run_json(capsys, "solve", *words)
        against = run_json(capsys, "match", *words, "uniform", "equilibrium")
        assert solved["gap"] < 1e-9
        assert against["mean"] <= solved["value"] + 1e-9
    match = run_json(capsys, "match", *words, "uniform", "uniform")
    assert [match["mean"], match.get("mean_1", -match["mean"])] == pytest.approx(found["payoffs"], abs=1e-9)
    code, out, _ = run(capsys, "check", *words)
    assert (code, "failed" in out) == (0, False)


@pytest.mark.parametrize("name", [DESCENDING, "oshi_zumo(coins=3,size=1,horizon=3)", "matrix_rpsw", "blotto(coins=3)"])
def test_openspiels_own_figure_is_ours(name):
    turns = pyspiel.load_game_as_turn_based(name)
    ours = baselines.nash_conv(from_openspiel(name), "uniform").total
    assert ours == pytest.approx(pyspiel.nash_conv(turns, pyspiel.UniformRandomPolicy(turns)), abs=1e-9)


@pytest.mark.parametrize("name", GAMES)
def test_our_games_pass_openspiels_test(name):
    sim_test = pytest.importorskip("open_spiel.python.tests.games_sim_test")
    spiel = to_openspiel(make_game(name).smallest())
    sim_test.GamesSimTest().sim_game(spiel)
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)
    assert str(pyspiel.load_game(str(spiel))) == str(pickle.loads(pickle.dumps(spiel))) == str(spiel)


class MixesBySight:
    """A random mix for each observation."""

    def __init__(self, seed):
        self.seed = seed

    def mix(self, seen, mask):
        drawn = np.random.default_rng([self.seed, *seen.view(np.uint32).tolist()])
        found = np.zeros(len(mask))
        found[mask > 0] = drawn.dirichlet(np.ones(int(mask.sum())))
        return found

    def action_probabilities(self, observations, action_masks):
        rows = zip(observations + np.float32(0.0), action_masks, strict=True)
        return np.stack([self.mix(seen, mask) for seen, mask in rows])


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *(pytest.param(name, {}, marks=[pytest.mark.slow] * (name in SLOW_THERE)) for name in GAMES if name != "war"),
        pytest.param("war", {"ranks": 3, "discards": 1, "max_rounds": 3}, marks=pytest.mark.slow),
    ],
)
def test_random_policies_have_our_figure_there(name, size, request):
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    game = make_game(name, **size) if size else make_game(name).smallest()
    for seed in range(5 if request.node.get_closest_marker("slow") else 1):
        policy = MixesBySight(seed)
        theirs, ours = to_openspiel_policy(policy, game), baselines.nash_conv(game, policy).total
        assert ours > 1e-3
        assert exploitability.nash_conv(theirs.game, theirs) == pytest.approx(ours, abs=1e-9)


@pytest.mark.parametrize(
    "game",
    [
        make_game("jujitsu", num_cards=3),
        make_game("dice_poker", sides=2),
        make_game("openspiel:kuhn_poker"),
        make_game(f"openspiel:{DESCENDING}"),
    ],
    ids=lambda game: game.facts.name,
)
def test_a_policy_goes_there_and_back(game):
    theirs, ours = to_openspiel_policy(MixesBySight(0), game), baselines.nash_conv(game, MixesBySight(0)).total
    together = to_openspiel_policy(MixesBySight(0), game)
    together.game = game.listed.game if isinstance(game, OpenSpielGame) else to_openspiel(game)
    for policy in (theirs, theirs.to_tabular(), together):
        back = from_openspiel_policy(policy, game)
        assert len(back) == game.facts.num_players
        assert baselines.nash_conv(game, back).total == pytest.approx(ours, abs=1e-9)


def random_tabular(turns):
    policy = pytest.importorskip("open_spiel.python.policy").TabularPolicy(turns)
    return policy.copy_with_noise(1.0, 1.0, np.random.RandomState(0))


def test_a_policy_that_sees_more_than_the_observation_is_refused():
    name = "repeated_game(stage_game=matrix_pd(),num_repetitions=3)"
    turns, listed = pyspiel.load_game_as_turn_based(name), from_openspiel(name, "history")
    policy = random_tabular(turns)
    with pytest.raises(ValueError, match=r"mixes \[.*\] at 'Current player: . Defect .*' and \[.*\] at '"):
        from_openspiel_policy(policy, from_openspiel(name))
    expected = pytest.importorskip("open_spiel.python.algorithms.exploitability").nash_conv(turns, policy)
    assert baselines.nash_conv(listed, from_openspiel_policy(policy, listed)).total == pytest.approx(expected, abs=1e-9)


def test_compiled_policies_and_tables_with_holes():
    kuhn, game = pyspiel.load_game("kuhn_poker"), make_game("openspiel:kuhn_poker")
    table = random_tabular(kuhn).to_dict()
    compiled = pyspiel.TabularPolicy(table)
    found = baselines.nash_conv(game, from_openspiel_policy(compiled, game)).total
    assert found == pytest.approx(pyspiel.nash_conv(kuhn, compiled), abs=1e-9)
    holes = pyspiel.TabularPolicy(dict(list(table.items())[1:]))
    with pytest.warns(UserWarning, match="has 5 of the 6 observations queried"):
        baselines.nash_conv(game, from_openspiel_policy(holes, game))


def test_other_policies_are_refused(monkeypatch):
    game, kuhn = make_game("jujitsu", num_cards=3), pyspiel.load_game("kuhn_poker")
    theirs = to_openspiel_policy("uniform", game)
    for refused, reason in (
        (lambda: from_openspiel_policy("uniform", game), r"game of policy \('uniform'\), None, must be"),
        (lambda: from_openspiel_policy(random_tabular(kuhn), game), r", kuhn_poker\(\), must be cardwar_jujitsu"),
        (lambda: theirs.action_probabilities(to_openspiel(game).new_initial_state()), r"player_id \(None\) must be in"),
        (lambda: baselines.nash_conv(game, theirs), "from_openspiel_policy converts policies of OpenSpiel"),
    ):
        with pytest.raises(ValueError, match=reason):
            refused()
    with monkeypatch.context() as patched:
        patched.setattr(policies, "MOST_HISTORIES", 10)
        with pytest.raises(ValueError, match="is too large: it has more than 10 histories"):
            from_openspiel_policy(theirs, game)
    for mix, reason in (
        ({7: 1.0}, "sum to 0"),
        ({0: np.nan}, "must be finite"),
        ({0: "x"}, "could not convert"),
    ):
        monkeypatch.setattr(theirs, "action_probabilities", lambda state, player, mix=mix: mix)
        with pytest.raises(ValueError, match=reason):
            baselines.nash_conv(game, from_openspiel_policy(theirs, game))


@pytest.mark.parametrize("name", ["jujitsu", "goofspiel", "oshi_zumo", "lowest_unique", "war"])
def test_there_and_back(name):
    game = make_game(name).smallest()
    back = from_openspiel(to_openspiel(game))
    ours, again = (baselines.nash_conv(each, "uniform_actions").total for each in (game, back))
    assert again == pytest.approx(ours, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "nodes", "identity"),
    [
        (DESCENDING, 25, "proven merged"),
        ("matrix_pd", 5, "histories"),
    ],
)
def test_states_say_how_they_are_identified(name, nodes, identity):
    game = from_openspiel(name)
    assert game.facts.state_identity == identity
    assert len(from_openspiel(name, "history").listed.nodes) >= len(game.listed.nodes)


def test_a_key_is_checked():
    game = from_openspiel("oshi_zumo(coins=4,size=1,horizon=6)", "string")
    assert game.facts.state_identity == "declared merged"
    assert baselines.solve(game).value == pytest.approx(0, abs=1e-12)
    point_difference = "goofspiel(num_cards=3,points_order=descending,returns_type=point_difference)"
    with pytest.raises(ValueError, match="state_key merges history"):
        from_openspiel(point_difference, lambda state: (state.is_terminal(), tuple(state.legal_actions(0))))
    with pytest.raises(ValueError, match="one of None, 'history', 'string'"):
        from_openspiel(DESCENDING, "hash")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("mfg_crowd_modelling", "mean-field"),
        ("goofspiel", "too large: it has about"),
        ("laser_tag", "too large"),
        ("pig", "too large|hidden"),
        ("gofspiel", "did you mean 'goofspiel'"),
        ("goofspiel(cards=3)", "has no parameter 'cards'"),
        ("goofspiel(num_cards=-3)", r"num_cards \(-3\) must be an integer in 0..10,000"),
        ("goofspiel(num_cards=0)", "0 actions"),
        ("goofspiel(num_cards=3,num_cards=4)", "each key once"),
        ("goofspiel(num_cards=3", "must have the form openspiel:NAME"),
        ("goofspiel(" * 50 + ")" * 50, "must have the form key=value"),
        ("repeated_game(stage_game=nothing())", "no game 'nothing'"),
        ("nfg_game(filename=/etc/passwd)", "OpenSpiel says"),
    ],
)
def test_games_out_of_reach_are_refused_with_the_reason(name, reason, capfd):
    with pytest.raises(ValueError, match=reason):
        make_game(f"openspiel:{name}")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("program", "reason"), [("import os; os.abort()", "crashes"), ("import time; time.sleep(9)", "takes more than")]
)
def test_a_game_that_openspiel_cannot_load_does_no_harm(program, reason, monkeypatch):
    monkeypatch.setattr(loading, "TRY", program)
    monkeypatch.setattr(loading, "SECONDS", 0.3)
    with pytest.raises(ValueError, match=reason):
        make_game("openspiel:blotto(coins=10000)")


def test_a_pipe_is_not_waited_for(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "words")
    monkeypatch.setattr(loading, "SECONDS", 0.5)
    with pytest.raises(ValueError, match=r"takes more than 0.5 s"):
        make_game(f"openspiel:python_hangman(word_list_file={tmp_path / 'words'})")


@pytest.mark.parametrize("name", ["goofspiel(num_cards=3)", "matching_pennies_3p", "markov_soccer(horizon=2)"])
def test_the_rules_keep_the_contract(name):
    assert check_game(from_openspiel(name)).passed


ROWS = [[3, -1], [-1, 1]]
PENNIES = ROWS, [[-pay for pay in row] for row in ROWS]
PENNIES_ARE_WORTH = 1 / 3  # of mixing 1/3, 2/3 against either column


def pennies(name):
    return pyspiel.create_matrix_game(name, "Pennies", ["H", "T"], ["H", "T"], *PENNIES)


@pytest.mark.parametrize(
    ("spiel", "value"),
    [
        (pennies("matrix_mp"), PENNIES_ARE_WORTH),
        (pennies("my_pennies"), PENNIES_ARE_WORTH),
        (pyspiel.create_matrix_game(*PENNIES), PENNIES_ARE_WORTH),
        (pyspiel.create_tensor_game([np.array(pays, float) for pays in PENNIES]), PENNIES_ARE_WORTH),
        (pyspiel.create_repeated_game(pennies("matrix_pd"), {"num_repetitions": 2}), 2 * PENNIES_ARE_WORTH),
    ],
)
def test_an_object_that_its_name_does_not_reproduce_is_listed_itself(spiel, value):
    game = from_openspiel(spiel)
    assert baselines.solve(game).value == pytest.approx(value)
    assert baselines.solve(from_openspiel("matrix_mp")).value == 0
    for stored in (pickle.dumps, json_parameters, to_openspiel):
        with pytest.raises(ValueError, match="cannot be stored or copied: OpenSpiel loads no equal game by the name"):
            stored(game)
    with pytest.raises(ValueError, match="must have the form openspiel:NAME"):
        make_game(game.facts.name)


def test_an_object_that_its_name_reproduces_is_the_game_of_that_name():
    for name in (DESCENDING, "matrix_mp"):
        assert from_openspiel(pyspiel.load_game(name)) == from_openspiel(name)
    with pytest.raises(ValueError, match=r"game \(3\) must be the name of an OpenSpiel game or a pyspiel.Game"):
        from_openspiel(3)


def test_the_command_takes_a_name_of_openspiel(capsys):
    found = run_json(capsys, "solve", "openspiel:matrix_rpsw")
    assert (found["game"], found["state_identity"]) == ("openspiel:matrix_rpsw", "proven merged")
    found = run_json(capsys, "exploit", "openspiel:matrix_pd", "--policy", "uniform")
    assert (found["nash_conv"], found["state_identity"], "exploitability" in found) == (3.0, "histories", False)
    found = run_json(
        capsys, "match", "openspiel:oshi_zumo(coins=4,horizon=5)", "state_key=string", "uniform", "uniform"
    )
    assert found["state_identity"] == "declared merged"
    assert "zero-sum" in run_refused(capsys, "solve", "openspiel:matrix_pd")
    assert "too large" in run_refused(capsys, "solve", "openspiel:goofspiel")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match="need the extra openspiel"):
        make_game("openspiel:matrix_rps")


def test_parameters_beside_the_name_are_refused_with_an_example():
    with pytest.raises(ValueError, match=r"are part of its name, as in openspiel:goofspiel\(num_cards=...\)"):
        make_game("openspiel:goofspiel", num_cards=3)
