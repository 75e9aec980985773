"""The command and the pytest plugin."""

import json
import os
import re
import signal
import subprocess
import sys

import pettingzoo
import pytest

import zoocheck
from calling import ROOT, run, run_json, run_plugin, run_refused
from zoocheck import CHECKS, coverage, guard, load, order
from zoocheck.command import Report
from zoocheck.grounds import grounds
from zoocheck.subject import parameters_of, remade

SHORT = ("--games", "2")
SIZED = ("broken.factories:Sized", "size=3")
COMES_BACK, FALLEN_ARE_PAID = (f"broken.environments:{name}" for name in ("ComesBack", "FallenArePaid"))
NEEDS_A_DISPLAY = "broken.factories:NeedsADisplay"


@pytest.fixture(autouse=True)
def one_process(monkeypatch):
    """What other processes would play is played in this one: to start two takes a second."""

    def played_here(told, hash_seed):
        games = order.digests(remade(told["subject"]), told["blind"])
        return [games, games]

    def run_here(self, name):
        result = zoocheck.run(name, self._subject)
        self.seen = coverage(self._subject)
        return result

    monkeypatch.setattr(order, "_elsewhere", played_here)
    monkeypatch.setattr(guard.Guard, "run", run_here)


def test_check_prints_a_line_per_check(capsys):
    code, out, err = run(capsys, "broken.environments:Pennies", *SHORT, "--all")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(CHECKS) + 3
    assert lines[0] == "passed          agents_are_a_list_of_their_own"
    assert "passed          commitments_are_hidden" in lines
    assert re.fullmatch(r"\d+ passed, .*\d+ not applicable.*", lines[-1])
    assert re.fullmatch(r"seen: AEC \d+ games, [\d,]+ moves, \d+ distinct situations; Parallel .*", lines[-2])
    assert "not applicable  limit_of_rounds_is_kept: there is no parameter max_rounds or max_cycles" in lines


def test_check_as_json(capsys):
    code, out, _ = run(capsys, FALLEN_ARE_PAID, *SHORT, "--json")
    answer = json.loads(out)
    assert (code, answer["passed"], answer["environment"]) == (1, False, FALLEN_ARE_PAID)
    assert [each["check"] for each in answer["checks"]] == list(CHECKS)
    assert answer["seen"]["Parallel"]["games"] == 4  # two at first, and two for rare situations
    (failed,) = [each for each in answer["checks"] if each["status"] == "failed" and not each["follows"]]
    assert "env.step(" in failed["script"]


def test_check_fails_with_exit_code_1_and_says_how_to_do_it_again(capsys, tmp_path):
    code, out, _ = run(capsys, FALLEN_ARE_PAID, *SHORT, "--reproduce", str(tmp_path / "again.py"))
    assert code == 1
    # Failures come last, and nothing that passed.
    _, seen, cause, demanded, ground, fix, effect, script, counts = out.splitlines()
    assert re.match(r"failed          results_name_the_agents: Parallel, seed \d, after step \d: rewards have", cause)
    assert "must hold: reset() and step() return dicts with an entry for each participating agent" in demanded
    assert "error: https://pettingzoo.farama.org/api/parallel/ says: step() returns dictionaries" in ground
    assert "to fix: `{agent: ... for agent in agents}`" in fix
    assert "failed          nobody_is_paid_after_the_end (follows results_name_the_agents): Parallel" in effect
    assert (seen[:5], "2 failed" in counts) == ("seen:", True)
    assert script == f"{tmp_path / 'again.py'} is a script that repeats the first failure"
    compile((tmp_path / "again.py").read_text(), "again.py", "exec")


PAID = ("--only", "results_name_the_agents", "--only", "nobody_is_paid_after_the_end")


@pytest.fixture
def known(capsys, tmp_path):
    """A report with the known findings of an environment that fails two checks."""
    path = tmp_path / "known.json"
    path.write_text(run(capsys, FALLEN_ARE_PAID, *SHORT, *PAID, "--json")[1])
    return path


def test_known_findings_do_not_fail_and_new_ones_do(capsys, known):
    arguments = (FALLEN_ARE_PAID, *SHORT, *PAID, "--baseline", str(known))
    answer = run_json(capsys, *arguments)
    assert answer["passed"]
    assert [each["status"] for each in answer["checks"]] == ["known", "known"]
    report = json.loads(known.read_text())
    report["checks"] = [each for each in report["checks"] if each["check"] != "nobody_is_paid_after_the_end"]
    known.write_text(json.dumps(report))
    code, out, _ = run(capsys, *arguments)
    assert (code, out.splitlines()[-1]) == (1, "1 failed, 1 known")


def test_a_known_finding_that_is_gone_is_reported(capsys, known):
    names = ("arrays_are_fresh", "no_such_check", "deepcopy_goes_on")
    report = {"environment": FALLEN_ARE_PAID, "checks": [{"check": name, "status": "failed"} for name in names]}
    known.write_text(json.dumps(report))
    arguments = (FALLEN_ARE_PAID, *SHORT, "--only", "arrays_are_fresh", "--baseline", str(known))
    assert run_json(capsys, *arguments)["stale"] == ["arrays_are_fresh", "no_such_check"]


def test_versions_are_those_of_the_modules_that_were_loaded(capsys):
    answer = run_json(capsys, FALLEN_ARE_PAID, *SHORT, "--only", "deepcopy_goes_on")
    assert answer["versions"]["pettingzoo"] == pettingzoo.__version__
    assert list(answer["versions"]) == ["python", "numpy", "gymnasium", "pettingzoo"]


def test_violations_that_break_no_sentence_of_the_documents_are_warnings_on_request(capsys):
    arguments = ("broken.environments:CopyIsShallow", *SHORT, "--only", "deepcopy_goes_on")
    code, out, _ = run(capsys, *arguments)
    assert (code, out.splitlines()[-1]) == (1, "1 failed")
    assert "warning: about learning, not about the API: " in out
    code, out, _ = run(capsys, *arguments, "--severity", "error")
    assert (code, out.splitlines()[-1]) == (0, "1 warning")
    assert "warning         deepcopy_goes_on: " in out
    assert run(capsys, FALLEN_ARE_PAID, *SHORT, *PAID, "--severity", "error")[0] == 1


def test_every_check_rests_on_something():
    assert set(grounds()) == set(CHECKS)
    assert set(grounds(gymnasium=True)) < set(CHECKS)
    for ground in (*grounds().values(), *grounds(gymnasium=True).values()):
        assert ground.page.startswith("https://") == (ground.severity == "error"), ground


def test_annotations_for_github_are_one_line_each(capsys):
    code, out, _ = run(capsys, "broken.solo:SharedArray", *SHORT, "--only", "arrays_are_fresh", "--github")
    (line,) = [line for line in out.splitlines() if line.startswith("::")]
    told = r"::error title=zoocheck arrays_are_fresh::Gymnasium, .*%0Amust hold: .*%0Ato fix"
    assert (code, bool(re.match(told, line))) == (1, True), line


@pytest.mark.parametrize(
    ("statuses", "planned", "code"),
    [
        (["passed", "known", "warning", "note"], 4, 0),
        (["passed", "failed"], 2, 1),
        (["failed"], 2, 1),
        (["passed"], 2, 130),
        ([], 2, 130),
        (["passed", "skipped", "inconclusive"], 3, 3),
        (["passed", "skipped", "not applicable"], 3, 0),
    ],
)
def test_exit_codes(statuses, planned, code):
    results = [zoocheck.Result("ends_are_final", status) for status in statuses]
    assert Report("name", results, planned, {}, [], 0.0, {}, {}).exit_code == code


UNSEEN = "too little was checked: only 0 of 1 checks reached a verdict"


def test_a_run_that_checks_nothing_says_so_first_and_has_an_exit_code_of_its_own(capsys):
    some = (NEEDS_A_DISPLAY, *SHORT, "--only", "render_modes_are_kept", "--only", "limit_of_rounds_is_kept")
    code, out, _ = run(capsys, *some)
    assert (code, out.splitlines()[0]) == (3, f"{UNSEEN}; see --seconds and --games")
    code, out, _ = run(capsys, *some, "--json")
    answer = json.loads(out)
    assert (code, answer["passed"], answer["shortfall"]) == (3, False, UNSEEN)
    assert run(capsys, *some, "--only", "metadata_say_what_is_offered")[0] == 0, "half of them reached a verdict"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Missing argument"),
        (["no_such_module"], "cannot import 'no_such_module'"),
        (["classic/no-game-v0"], "classic/no-game-v0: "),
        (["json"], "json: has neither env nor parallel_env"),
        (["json:Nothing"], "json has no 'Nothing'"),
        ([SIZED[0], "3"], "'3' must read KEY=VALUE"),
        ([SIZED[0], "size=0"], "size (0) must be from 2"),
        ([SIZED[0], "cards=3"], "unexpected keyword argument 'cards'"),
        ([*SIZED, "--seconds", "nan"], "--seconds (nan) must be above 0"),
        ([*SIZED, "--reproduce", "."], "File exists: '.'"),
        ([*SIZED, "--games", "0"], "--games (0) must be at least 1"),
        ([*SIZED, "--only", "pictures"], "no check 'pictures' (did you mean 'pictures_hide_commitments'?)"),
        ([*SIZED, "--skip", "picle_goes_on"], "no check 'picle_goes_on' (did you mean 'pickle_goes_on'"),
        ([*SIZED, "--baseline", "no_such_file"], "no_such_file: cannot be read as a report of --json"),
        ([*SIZED, "--baseline", "pyproject.toml"], "pyproject.toml: cannot be read as a report of --json"),
        (["broken.factories:needs_size"], ":needs_size: cannot be called with {}: TypeError: "),
        (
            ["json:JSONDecoder"],
            "is a class, but not an environment",
        ),
        (["json:loads"], "json:loads: cannot be called with {}: TypeError: "),
        (["os:getcwd"], "os:getcwd: returned str, not an environment of PettingZoo or Gymnasium"),
    ],
)
def test_bad_input_is_one_clear_line(capsys, arguments, message):
    assert message in run_refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("broken.environments:Bidding", ["AEC", "Parallel"]),
        ("broken.environments:Bidding.parallel_env", ["Parallel"]),
        ("broken.environments:BiddingInAecAlone", ["AEC"]),
    ],
)
def test_names_of_environments(word, kinds):
    assert [api.kind for api in load(word).apis()] == kinds


def test_parameters_are_read_as_python_where_they_can_be():
    found = parameters_of(["hand_0=2,3,6", "hand_1=(1, 3, 5)", "ties=carry"])
    assert found == {"hand_0": (2, 3, 6), "hand_1": (1, 3, 5), "ties": "carry"}


def test_a_factory_gets_its_parameters():
    subject = load("broken.factories:needs_size", ["size=3"])
    assert subject.any_env().cards == 3


def test_the_same_number_of_games_is_the_same_look():
    seen = []
    for _ in range(2):
        subject = load("broken.environments:Pennies", games=3)
        zoocheck.run("legal_play_goes_on", subject)
        seen.append(coverage(subject))
    assert seen[0] == seen[1]
    assert seen[0]["AEC"]["games"] == seen[0]["Parallel"]["games"] == 3


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [[], ["--json"]])
def test_an_interrupted_check_tells_the_verdicts_so_far(end, more):
    command = [sys.executable, "-m", "zoocheck.command", "broken.factories:noisy", "--seconds", "600", *more]
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
    two = ("--zoocheck-env", " ".join(SIZED), "--zoocheck-env", COMES_BACK)
    some = ("-k", "ends_are_final or limit_of_rounds or metadata")
    done = run_plugin(tmp_path, "-v", *two, "--zoocheck-games", "8", *some)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{len(CHECKS) * 2 - 4} deselected" in done.stdout
    assert "3 passed" in done.stdout
    assert "cy is back in `agents`" in done.stdout
    assert "there is no parameter max_rounds" in done.stdout


def test_the_plugin_expects_known_findings(tmp_path, known):
    report = json.loads(known.read_text())
    report["checks"].append({"check": "deepcopy_goes_on", "status": "failed"})
    known.write_text(json.dumps(report))
    some = ("-k", "results_name or deepcopy", "--zoocheck-games", "2", "--junitxml", "report.xml")
    done = run_plugin(tmp_path, "--zoocheck-env", FALLEN_ARE_PAID, "--zoocheck-baseline", str(known), *some)
    assert (done.returncode, f"1 passed, {len(CHECKS) - 1} deselected, 1 xfailed" in done.stdout) == (0, True), (
        done.stdout
    )
    assert f"{FALLEN_ARE_PAID}: deepcopy_goes_on no longer fails" in done.stdout
    assert f"pettingzoo {pettingzoo.__version__}" in (tmp_path / "report.xml").read_text()


def test_the_plugin_fails_if_too_little_was_checked(tmp_path):
    done = run_plugin(
        tmp_path, "--zoocheck-env", NEEDS_A_DISPLAY, "-k", "render_modes or enough", "--zoocheck-games", "1"
    )
    assert (done.returncode, UNSEEN in done.stdout) == (1, True), done.stdout


def test_the_plugin_takes_a_severity(tmp_path):
    some = ("-k", "deepcopy", "--zoocheck-games", "2", "--zoocheck-severity", "error")
    done = run_plugin(tmp_path, "--zoocheck-env", "broken.environments:CopyIsShallow", *some)
    assert (done.returncode, "warning: " in done.stdout, "1 skipped" in done.stdout) == (0, True, True), done.stdout


def test_the_plugin_says_what_is_wrong_with_its_option(tmp_path):
    done = run_plugin(tmp_path, "--zoocheck-env", "no_such_module")
    assert done.returncode == 4
    assert "cannot import 'no_such_module'" in done.stderr


def test_the_plugin_imports_nothing_heavy_unless_asked(tmp_path):
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n"
        "def test_nothing():\n"
        "    assert 'zoocheck_pytest' in sys.modules\n"
        "    assert not {'zoocheck', 'numpy', 'gymnasium', 'pettingzoo'} & set(sys.modules)\n"
    )
    done = run_plugin(tmp_path)
    assert done.returncode == 0, done.stdout
