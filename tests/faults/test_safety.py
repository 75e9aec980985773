"""Nothing that is read is run, and nothing that is read decides where is written."""

import ast
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from command import run as command
from matplotlib.figure import Figure
from run_files import change_config
from thinning import each_row

from baselines.files import open_inside
from baselines.oracles.rank_games.layer_files import LayerFolder
from baselines.papers.findings import Reproduction
from baselines.papers.findings import write as write_reproduction
from cardwar_envs import make_game
from train.algorithms.registry import ALGORITHMS
from train.policies.files import load_policy, save_policy
from train.policies.networks import Network as SomeNetwork
from train.policies.networks import SoftmaxPolicy
from train.reports.page import write_report
from train.runs.loop import run
from train.storage.archive import Archive, read_archive, write_archive

ROOT = Path(__file__).parents[2]
GAME = make_game("jujitsu", num_cards=3)
# What makes objects, or runs code, of whatever a file or a string says.
UNSAFE_MODULES = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml"}
UNSAFE_CALLS = {"eval", "exec", "torch.load", "np.load", "numpy.load", "pd.read_pickle", "os.system", "os.popen"}
# These check that copies of what they look at are alike: they read only what they have just written.
ALLOWED = {
    "cardwar_envs/conformance/copies.py: pickle",
    "cardwar_envs/contract/parameters.py: pickle",
    "cardwar_envs/contract/states.py: pickle",
}


def unsafe(path):
    """What a module does that it should not."""
    tree, found = ast.parse(path.read_text()), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            found |= {name for name in names if name.split(".")[0] in UNSAFE_MODULES}
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            shell = any(word.arg == "shell" for word in node.keywords)
            found |= {called} if called in UNSAFE_CALLS or shell or "allow_pickle" in ast.unparse(node) else set()
    return found


def test_nothing_that_is_read_is_run():
    sources = [path for name in ("cardwar_envs", "baselines", "train") for path in (ROOT / name).rglob("*.py")]
    assert len(sources) > 100
    found = {f"{path.relative_to(ROOT)}: {each}" for path in sources for each in unsafe(path)}
    assert found == ALLOWED


def test_the_look_for_unsafe_calls_finds_them(tmp_path):
    lines = ["import pickle", "torch.load(p)", "np.load(p, allow_pickle=True)", "eval(s)", "from yaml import load"]
    for line in [*lines, "subprocess.run(s, shell=True)"]:
        (tmp_path / "module.py").write_text(line + "\n")
        assert unsafe(tmp_path / "module.py"), line


def small_run(out, **changed):
    args = ALGORITHMS["cfr_plus"].args(steps=4, evaluate_every=2)
    return run(GAME, "cfr_plus", args, out, **changed)


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    out = tmp_path_factory.mktemp("real") / "run"
    small_run(out)
    return out


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_names_in_settings_do_not_decide_where_is_written(real, tmp_path):
    folder = shutil.copytree(real, tmp_path / "deep" / "down" / "run")
    change_config(folder, **dict.fromkeys(("game", "algorithm", "title", "label", "step"), "../../escaped"))
    before = contents(tmp_path)
    written = write_report([folder], tmp_path / "page" / "report.html")
    after = contents(tmp_path)
    assert set(after) - set(before) == {written.page, written.tables}
    assert {path: after[path] for path in before} == before
    with pytest.raises(ValueError, match=r"game='\.\./\.\./escaped', not 'jujitsu'"):
        small_run(folder, resume=True)
    assert contents(tmp_path) == after


@pytest.mark.parametrize("name", ["checkpoint.safetensors", "metrics.csv", "policy.safetensors", "tensorboard"])
def test_a_run_does_not_write_through_links(real, tmp_path, name):
    folder, elsewhere = shutil.copytree(real, tmp_path / "run"), tmp_path / "elsewhere"
    shutil.move(folder / name, elsewhere)
    (folder / name).symlink_to(elsewhere)
    before = contents(tmp_path)
    with pytest.raises(ValueError, match=rf"{name} is a link, which is not followed"):
        small_run(folder, resume=True)
    assert contents(tmp_path) == before


def test_half_written_files_that_are_links_are_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("config.json", "metrics.csv", "checkpoint.safetensors"):
        (folder / f".{name}.new").symlink_to(victim)
    small_run(folder)
    assert victim.read_text() == "untouched"


STUDY = """
[[runs]]
games = ["jujitsu num_cards=3"]
algorithms = ["cfr_plus steps=4 evaluate_every=2"]
"""
NAME = "jujitsu-num_cards=3-cfr_plus-steps=4-evaluate_every=2-seed=0"


@pytest.mark.parametrize("place", [".lock", "logs", f"logs/{NAME}.log", NAME])
def test_a_study_does_not_write_through_links(tmp_path, capsys, monkeypatch, place):
    monkeypatch.setattr("train.studies.runner.PROGRAM", ("true",))
    (tmp_path / "study.toml").write_text(STUDY)
    victim = tmp_path / "victim"
    if place in ("logs", NAME):
        victim.mkdir()
    else:
        victim.write_text("untouched")
    link = tmp_path / "out" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(victim)
    code, _, err = command(capsys, "study", str(tmp_path / "study.toml"), "--out", str(tmp_path / "out"))
    assert (code, err.count("\n")) == (2, 1)
    assert f"{link} is a link, which is not followed" in err
    assert victim.read_text() == "untouched" if victim.is_file() else not list(victim.iterdir())


def test_the_lock_of_kept_layers_is_not_opened_through_a_link(tmp_path):
    victim, cache = tmp_path / "victim", tmp_path / "cache"
    cache.mkdir()
    (cache / ".lock").symlink_to(victim)
    with pytest.raises(ValueError, match=r"\.lock is a link, which is not followed"):
        LayerFolder(cache, {}).write(1, np.zeros(1), 0.0)
    assert not victim.exists()


def test_files_of_a_report_and_of_a_reproduction_replace_links(real, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    out = tmp_path / "out"
    out.mkdir()
    for name in ("report.html", "rows.csv", "picture.png"):
        (out / name).symlink_to(victim)
    write_report([real], out / "report.html")
    written = write_reproduction(Reproduction((), {}, pictures={"picture": Figure}), out)
    assert [path.name for path in written] == ["rows.csv", "picture.png"]
    assert victim.read_text() == "untouched"
    assert not [path for path in out.iterdir() if path.is_symlink()]


def test_the_folder_itself_may_be_a_link_and_none_below_it(tmp_path):
    (tmp_path / "real" / "below").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with open_inside(tmp_path / "link", "new/file", "wb") as file:
        file.write(b"1")
    assert (tmp_path / "real" / "new" / "file").read_bytes() == b"1"
    (tmp_path / "real" / "way").symlink_to(tmp_path / "real" / "below")
    with pytest.raises(ValueError, match="way is a link, which is not followed"):
        open_inside(tmp_path / "link", "way/file", "wb")
    assert not list((tmp_path / "real" / "below").iterdir())


# -- policies whose checksum is right and whose content is not -----------------------------------------


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "policy.safetensors"
    save_policy(path, SoftmaxPolicy(GAME, SomeNetwork(GAME, 8, 2, GAME.facts.num_actions, "tanh")))
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


@pytest.mark.parametrize("name", ["observations", "probabilities"])
@pytest.mark.parametrize("wrong", [None, torch.zeros(2), torch.zeros(4, 3), torch.zeros(4, 8, dtype=torch.int64)])
def test_a_table_that_is_whole_but_wrong_is_one_clear_error(real, tmp_path, name, wrong):
    path = shutil.copy(real / "policy.safetensors", tmp_path)
    load_policy(path, GAME)
    tensors, data = read_archive(Path(path))
    tensors = {**tensors, name: wrong} if wrong is not None else {key: tensors[key] for key in tensors if key != name}
    write_archive(Path(path), Archive(tensors, data))
    with pytest.raises(ValueError, match=r"does not hold what a policy needs .*--resume"):
        load_policy(path, GAME)
