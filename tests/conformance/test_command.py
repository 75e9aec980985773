"""The command `cardwar check`, the pytest plugin and the table of the documentation."""

import json
import os
import re
import signal
import subprocess
import sys

import pettingzoo
import pytest
from command import ROOT, run, run_json, run_plugin, run_refused
from thinning import each_row

from cardwar_envs import conformance
from cardwar_envs.conformance import CHECKS, coverage, guard, load, order, processes
from cardwar_envs.conformance.explore import coverage_so_far
from tests.conformance.table import OURS, game_table

SHORT = ("--games", "2")
DUEL = ("cardwar/dinosaur-war-v0", "num_cards=3")
COMES_BACK, FALLEN_ARE_PAID = (f"tests.broken.environments:{name}" for name in ("ComesBack", "FallenArePaid"))
NEEDS_A_DISPLAY = "tests.conformance.factories:NeedsADisplay"


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    """What other processes would play is played in this one: to start two takes a second."""

    def played_here(told, hash_seed):
        games = order.digests(processes.remade(told), told["blind"])
        return [games, games]

    def run_here(self, name):
        result = conformance.run(name, self._subject)
        self.seen = coverage_so_far(self._subject)
        return result

    monkeypatch.setattr(order, "_elsewhere", played_here)
    monkeypatch.setattr(guard.Guard, "run", run_here)


def test_check_prints_a_line_per_check(capsys):
    code, out, err = run(capsys, "check", "tests.broken.environments:Pennies", *SHORT, "--all")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(CHECKS) + 3
    assert lines[0] == "passed          agents_are_a_list_of_their_own"
    assert "passed          commitments_are_hidden" in lines
    assert re.fullmatch(r"\d+ passed, .*\d+ not applicable.*", lines[-1])
    assert re.fullmatch(r"seen: AEC \d+ games, [\d,]+ moves, \d+ distinct situations; Parallel .*", lines[-2])
    assert "not applicable  limit_of_rounds_is_kept: there is no parameter max_rounds or max_cycles" in lines


def test_check_as_json(capsys):
    code, out, _ = run(capsys, "check", FALLEN_ARE_PAID, *SHORT, "--json")
    answer = json.loads(out)
    assert (code, answer["passed"], answer["environment"]) == (1, False, FALLEN_ARE_PAID)
    assert [each["check"] for each in answer["checks"]] == list(CHECKS)
    assert answer["seen"]["Parallel"]["games"] == 2
    (failed,) = [each for each in answer["checks"] if each["status"] == "failed" and not each["follows"]]
    assert "env.step(" in failed["script"]


def test_check_fails_with_exit_code_1_and_says_how_to_do_it_again(capsys, tmp_path):
    code, out, _ = run(capsys, "check", FALLEN_ARE_PAID, *SHORT, "--reproduce", str(tmp_path / "again.py"))
    assert code == 1
    _, seen, cause, demanded, fix, effect, *_, script, counts = out.splitlines()  # failures last, nothing that passed
    assert re.match(r"failed          results_name_the_agents: Parallel, seed \d, after step \d: rewards have", cause)
    assert "must hold: reset() and step() return dicts with an entry for each participating agent" in demanded
    assert "to fix: `{agent: ... for agent in agents}`" in fix
    assert "failed          nobody_is_paid_after_the_end (follows results_name_the_agents): Parallel" in effect
    assert (seen[:5], "2 failed" in counts) == ("seen:", True)
    assert script == f"{tmp_path / 'again.py'} is a script that repeats the first failure"
    compile((tmp_path / "again.py").read_text(), "again.py", "exec")


PAID = ("--only", "results_name_the_agents", "--only", "nobody_is_paid_after_the_end")


@pytest.fixture
def known(capsys, tmp_path):
    """A file with the known findings of an environment that fails two checks."""
    path = tmp_path / "known.json"
    code, out, _ = run(capsys, "check", FALLEN_ARE_PAID, *SHORT, *PAID, "--baseline", str(path), "--write-baseline")
    assert (code, out.splitlines()[-1]) == (0, "2 known")
    return path


def test_known_findings_do_not_fail_and_new_ones_do(capsys, known):
    arguments = ("check", FALLEN_ARE_PAID, *SHORT, *PAID, "--baseline", str(known))
    answer = run_json(capsys, *arguments)
    assert answer["passed"]
    assert [each["status"] for each in answer["checks"]] == ["known", "known"]
    entries = json.loads(known.read_text())
    assert entries[FALLEN_ARE_PAID].pop("nobody_is_paid_after_the_end")
    known.write_text(json.dumps(entries))
    code, out, _ = run(capsys, *arguments)
    assert (code, out.splitlines()[-1]) == (1, "1 failed, 1 known")


def test_a_known_finding_that_is_gone_is_reported_and_removed_on_request(capsys, known):
    entries = {
        FALLEN_ARE_PAID: {"arrays_are_fresh": "", "no_such_check": "", "deepcopy_goes_on": ""},
        "other": {"a": "b"},
    }
    known.write_text(json.dumps(entries))
    arguments = ("check", FALLEN_ARE_PAID, *SHORT, "--only", "arrays_are_fresh", "--baseline", str(known))
    assert run_json(capsys, *arguments)["stale"] == ["arrays_are_fresh", "no_such_check"]
    run(capsys, *arguments, "--write-baseline")
    assert json.loads(known.read_text()) == {FALLEN_ARE_PAID: {"deepcopy_goes_on": ""}, "other": {"a": "b"}}


def test_versions_are_those_of_the_modules_that_were_loaded(capsys):
    answer = run_json(capsys, "check", FALLEN_ARE_PAID, *SHORT, "--only", "deepcopy_goes_on")
    assert answer["versions"]["pettingzoo"] == pettingzoo.__version__
    assert list(answer["versions"]) == ["python", "numpy", "gymnasium", "pettingzoo", "cardwar_envs"]


def test_verdicts_as_junit(capsys, tmp_path):
    junitparser = pytest.importorskip("junitparser")
    path = tmp_path / "report.xml"
    assert run(capsys, "check", FALLEN_ARE_PAID, *SHORT, *PAID, "--junit", str(path))[0] == 1
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    assert (suite.tests, suite.failures) == (2, 2)
    assert "must hold: " in next(iter(suite)).result[0].text
    assert {each.name for each in suite.properties()} >= {"python", "pettingzoo"}


UNSEEN = "too little was checked: only 0 of 1 checks reached a verdict"


def test_a_run_that_checks_nothing_says_so_first_and_has_an_exit_code_of_its_own(capsys, tmp_path):
    junitparser = pytest.importorskip("junitparser")
    path = tmp_path / "report.xml"
    some = ("check", NEEDS_A_DISPLAY, *SHORT, "--only", "render_modes_are_kept", "--only", "limit_of_rounds_is_kept")
    code, out, _ = run(capsys, *some, "--junit", str(path))
    assert (code, out.splitlines()[0]) == (3, f"{UNSEEN}; see --seconds and --games")
    code, out, _ = run(capsys, *some, "--json")
    answer = json.loads(out)
    assert (code, answer["passed"], answer["shortfall"]) == (3, False, UNSEEN)
    (suite,) = junitparser.JUnitXml.fromfile(str(path))
    assert (next(iter(suite)).name, suite.errors) == ("enough_was_checked", 1)
    assert run(capsys, *some, "--only", "metadata_say_what_is_offered")[0] == 0, "half of them reached a verdict"


@each_row(
    ("arguments", "message"),
    [
        (["check"], "Missing argument"),
        (["check", "no_such_module"], "cannot import 'no_such_module'"),
        (["check", "cardwar/no-game-v0"], "cardwar/no-game-v0: "),
        (["check", "json"], "json: has neither env nor parallel_env"),
        (["check", "json:Nothing"], "json has no 'Nothing'"),
        (["check", DUEL[0], "3"], "'3' must read KEY=VALUE"),
        (["check", DUEL[0], "num_cards=0"], "num_cards (0) must be in"),
        (["check", DUEL[0], "cards=3"], "no parameter 'cards'"),
        (["check", *DUEL, "--seconds", "nan"], "--seconds (nan) must be above 0"),
        (["check", *DUEL, "--reproduce", "."], "--reproduce: . already exists"),
        (["check", *DUEL, "--games", "0"], "--games (0) must be at least 1"),
        (["check", *DUEL, "--only", "pictures"], "no check 'pictures' (did you mean 'pictures_hide_commitments'?)"),
        (["check", *DUEL, "--skip", "picle_goes_on"], "no check 'picle_goes_on' (did you mean 'pickle_goes_on'"),
        (["check", *DUEL, "--write-baseline"], "--write-baseline needs --baseline FILE"),
        (["check", *DUEL, "--baseline", "no_such_file"], "no_such_file: cannot be read as known findings"),
        (["check", *DUEL, "--baseline", "pyproject.toml"], "pyproject.toml: cannot be read as known findings"),
        (["check", "tests.conformance.factories:needs_size"], ":needs_size: cannot be called with {}: TypeError: "),
        (
            ["check", "json:JSONDecoder"],
            "neither a game nor an environment of PettingZoo; a game inherits",
        ),
        (["check", "json:loads"], "json:loads: cannot be called with {}: TypeError: "),
        (["check", "os:getcwd"], "os:getcwd: returned str, which is not a PettingZoo environment"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, arguments, message):
    assert message in run_refused(capsys, *arguments)


@each_row(
    ("word", "kinds"),
    [
        ("cardwar/jujitsu-v0", ["AEC", "Parallel"]),
        ("cardwar_envs.jujitsu_v0", ["AEC", "Parallel"]),
        ("cardwar_envs.jujitsu_v0:parallel_env", ["Parallel"]),
        ("tests.broken.environments:BiddingInAecAlone", ["AEC"]),
    ],
)
def test_names_of_environments(word, kinds):
    assert [api.kind for api in load(word).apis()] == kinds


def test_parameters_are_read_as_python_where_they_can_be():
    subject = load("cardwar/dinosaur-war-v0", ["hand_0=2,3,6", "hand_1=1,3,5", "ties=carry"])
    assert subject.parameters == {"hand_0": (2, 3, 6), "hand_1": (1, 3, 5), "ties": "carry"}
    assert subject.game().ties == "carry"


def test_a_factory_gets_its_parameters():
    subject = load("tests.conformance.factories:needs_size", ["size=3"])
    assert subject.any_env().unwrapped.game.num_cards == 3


def test_the_same_number_of_games_is_the_same_look():
    seen = [coverage(load("tests.broken.environments:Pennies", games=3)) for _ in range(2)]
    assert seen[0] == seen[1]
    assert seen[0]["AEC"]["games"] == seen[0]["Parallel"]["games"] == 3


@pytest.mark.thin
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_interrupted_check_tells_the_verdicts_so_far(end, more):
    check = "check tests.conformance.factories:noisy --seconds 600"
    command = [sys.executable, "-m", "cardwar_cli.main", *check.split(), *more]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    # A job in the background of a shell ignores interrupts, and hands that on.
    listening = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, **streams, **listening, env=environment) as child:
        child.stderr.readline()  # checks have begun
        child.send_signal(end)
        out, _ = child.communicate()
    assert child.returncode == 130
    if more:
        answer = json.loads(out)
        assert (answer["complete"], answer["passed"]) == (False, False)
        assert len(answer["checks"]) < len(CHECKS)
    else:
        assert f" of {len(CHECKS)} checks" in out.splitlines()[-1]


# -- the plugin -------------------------------------------------------------------------------------


def test_the_plugin_makes_a_test_of_every_check(tmp_path):
    two = ("--cardwar-env", " ".join(DUEL), "--cardwar-env", COMES_BACK)
    some = ("-k", "ends_are_final or limit_of_rounds or metadata")
    done = run_plugin(tmp_path, "-v", *two, "--cardwar-games", "8", *some)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{len(CHECKS) * 2 - 4} deselected" in done.stdout
    assert "3 passed" in done.stdout
    assert "cy is back in `agents`" in done.stdout
    assert "there is no parameter max_rounds" in done.stdout


def test_the_plugin_expects_known_findings(tmp_path, known):
    entries = json.loads(known.read_text())
    entries[FALLEN_ARE_PAID]["deepcopy_goes_on"] = "gone"
    known.write_text(json.dumps(entries))
    some = ("-k", "results_name or deepcopy", "--cardwar-games", "2", "--junitxml", "report.xml")
    done = run_plugin(tmp_path, "--cardwar-env", FALLEN_ARE_PAID, "--cardwar-baseline", str(known), *some)
    assert (done.returncode, "1 passed, 52 deselected, 1 xfailed" in done.stdout) == (0, True), done.stdout
    assert f"{FALLEN_ARE_PAID}: deepcopy_goes_on no longer fails" in done.stdout
    assert f"pettingzoo {pettingzoo.__version__}" in (tmp_path / "report.xml").read_text()


def test_the_plugin_fails_if_too_little_was_checked(tmp_path):
    done = run_plugin(
        tmp_path, "--cardwar-env", NEEDS_A_DISPLAY, "-k", "render_modes or enough", "--cardwar-games", "1"
    )
    assert (done.returncode, UNSEEN in done.stdout) == (1, True), done.stdout


def test_the_plugin_says_what_is_wrong_with_its_option(tmp_path):
    done = run_plugin(tmp_path, "--cardwar-env", "no_such_module")
    assert done.returncode == 4
    assert "cannot import 'no_such_module'" in done.stderr


def test_the_plugin_imports_nothing_heavy_unless_asked(tmp_path):
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n"
        "def test_nothing():\n"
        "    assert 'pytest_cardwar' in sys.modules\n"
        "    assert not {'cardwar_envs', 'numpy', 'gymnasium', 'pettingzoo'} & set(sys.modules)\n"
    )
    done = run_plugin(tmp_path, "-p", "no:hypothesispytest")
    assert done.returncode == 0, done.stdout


# -- the table --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_documentation_has_the_table_of_our_games():
    text = (ROOT / "docs" / "conformance.md").read_text()
    table = game_table(OURS)
    assert "failed" not in table
    assert table in text
