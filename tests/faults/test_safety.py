"""Policies whose checksums are right and whose content is not are refused."""

import pytest
import torch
from small_runs import GAME
from thinning import each_row

from train.policies.files import POLICY_FILE, load_policy, save_policy
from train.policies.networks import Network, SoftmaxPolicy
from train.storage.archive import Archive, read_archive, write_archive


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / POLICY_FILE
    save_policy(path, SoftmaxPolicy(GAME, Network(GAME, 8, 2, GAME.facts.num_actions, "tanh")))
    return path


def changed_data(**changes):
    return lambda tensors, data: (tensors, {**data, **changes})


def changed_architecture(**changes):
    return lambda tensors, data: (tensors, {**data, "architecture": {**data["architecture"], **changes}})


def without(key):
    return lambda tensors, data: (tensors, {name: value for name, value in data.items() if name != key})


def tensor(name, value):
    return lambda tensors, data: ({**tensors, name: value}, data)


WRONG = [
    *map(without, ["format", "game", "version", "parameters", "kind", "architecture"]),
    *(changed_data(format=f"cardwar policy {number}") for number in (0, 2)),
    *(changed_data(version=version) for version in (7, -1, "0", None, [0])),
    *(changed_data(game=game) for game in ("../../jujitsu", "chess", None, 7, {})),
    *(changed_data(parameters=it) for it in (None, {}, {"num_cards": 3}, {"num_cards": 3, "new": 1}, "x", [1])),
    *(changed_data(kind=kind) for kind in ("../softmax", None, ["softmax"], {}, "table", "matrix_game")),
    *(changed_data(architecture=it) for it in (None, {}, [], "x", {"width": 8})),
    *(changed_architecture(width=it) for it in (10**9, 2**62, 10**30, -1, 0, 9, "8", None, 8.0, [8], True)),
    *(changed_architecture(layers=it) for it in (10**9, -1, 0, 1, 3, "2", None, 2.5, [2])),
    *(changed_architecture(outputs=it) for it in (10**12, 0, 2, 9, -3, "3", None)),
    *(changed_architecture(activation=it) for it in ("sigmoid", None, ["tanh"], 3, "__class__")),
    changed_architecture(bias=False),
    tensor("0.weight", torch.zeros(8, 9)),
    tensor("0.weight", torch.zeros(0)),
    tensor("0.bias", torch.zeros(8, dtype=torch.float64)),
    tensor("0.bias", torch.zeros(8, dtype=torch.int64)),
    tensor("0.bias", torch.full((8,), float("nan"))),
    tensor("4.bias", torch.full((3,), float("inf"))),
    tensor("more", torch.zeros(1)),
    lambda tensors, data: ({}, data),
    lambda tensors, data: ({f"x{name}": each for name, each in tensors.items()}, data),
    lambda tensors, data: (tensors, {}),
]


@each_row("wrong", WRONG)
def test_a_policy_that_is_whole_but_wrong_is_one_clear_error(kept, wrong):
    load_policy(kept, GAME)
    spoilt = kept.with_name("spoilt.safetensors")
    write_archive(spoilt, Archive(*wrong(*read_archive(kept))))
    with pytest.raises(ValueError, match="policy") as error:
        load_policy(spoilt, GAME)
    assert str(spoilt) in str(error.value)
    assert "\n" not in str(error.value)


PLAYED = "probabilities"
TENSORS = [None, torch.zeros(2), torch.zeros(4, 3), torch.zeros(4, 8, dtype=torch.int64)]
NO_POLICY = r"does not contain a valid policy \(ValueError: "


@each_row(
    ("changed", "message"),
    [
        *(
            (lambda old, name=name, new=new: {name: new}, NO_POLICY)
            for new in TENSORS
            for name in ("observations", PLAYED)
        ),
        (
            lambda old: {PLAYED: old[PLAYED] - torch.eye(*old[PLAYED].shape)},
            "row . of its table is not a probability distribution",
        ),
        (lambda old: {PLAYED: 2 * old[PLAYED]}, "row . of its table is not a probability distribution"),
        (lambda old: {name: torch.cat((rows, rows)) for name, rows in old.items()}, "an observation has two rows"),
    ],
)
def test_a_table_that_is_whole_but_wrong_is_one_clear_error(real, tmp_path, changed, message):
    tensors, data = read_archive(real / POLICY_FILE)
    tensors = {name: rows for name, rows in (tensors | changed(tensors)).items() if rows is not None}
    write_archive(tmp_path / POLICY_FILE, Archive(tensors, data))
    with pytest.raises(ValueError, match=message):
        load_policy(tmp_path / POLICY_FILE, GAME)


def test_weights_that_are_too_large_are_refused_in_play(tmp_path):
    network = Network(GAME, 8, 1, GAME.facts.num_actions, "relu")
    for weights in network.parameters():
        weights.data.fill_(1e30)
    save_policy(tmp_path / "policy", SoftmaxPolicy(GAME, network))
    state = GAME.initial()[0].state
    with pytest.raises(ValueError, match="outputs are not finite"):
        load_policy(tmp_path / "policy", GAME).action_probabilities(
            GAME.observation(state, 0)[None], GAME.action_mask(state, 0)[None]
        )
