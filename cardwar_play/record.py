"""Records of games as JSON, with players, moves and chance outcomes, so that games can be replayed.

Reading a record checks it completely: each move must be legal, each outcome must be listed by the rules, and each seal
must commit to the moves that were played.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from baselines.system.files import parse_object, read_plain, write_atomically
from cardwar_envs import Episode, Revealed
from cardwar_play.account import Account, account_of
from cardwar_play.recorded.played import game_of, replayed
from cardwar_play.trainer import Step, Trainer, opens_to
from train.storage.formats import Points, Seed, Value
from train.text.game_names import json_parameters
from train.text.printing import points
from train.text.validation import MAX_INT, Strict, check

# Increased when older records can no longer be read.
FORMAT = 1
Whole = Annotated[int, Field(ge=0, le=MAX_INT)]
Cost = Annotated[Points, Field(ge=0)]


class StoredVerdict(Strict):
    """Maps the name of each legal action of the human player to its cost and its equilibrium probability."""

    costs: dict[str, Cost]
    mix: dict[str, Annotated[float, Field(ge=0, le=1)]]


class StoredStep(Strict):
    """A joint action, the index of its outcome in the rules' list, and the text of the seal (see `Seal`)."""

    actions: dict[Annotated[str, Field(pattern="^(0|[1-9][0-9]{0,8})$")], Whole]
    outcome: Whole
    seal: str | None
    verdict: StoredVerdict | None


class StoredAccount(Strict):
    """The stored explanation of the result; see `Account`."""

    result: Points
    value: Points
    chance: Points
    draws: Points
    mine: Cost
    theirs: Cost


class StoredGame(Strict):
    """A complete record; see `Trainer` for the entries."""

    format: Literal[1]
    game: str
    parameters: dict[str, Value]
    seat: Whole
    opponents: dict[str, str]
    seed: Seed
    without_costs: str
    dealt: Whole
    steps: list[StoredStep]
    ending: Literal["over", "out", "given up", "broken off"]
    left: str | None
    payoffs: list[Points]
    total_cost: Cost | None
    account: StoredAccount | None


def record_of(trainer: Trainer) -> dict[str, Any]:
    """Returns a game as plain data (see `StoredGame`); raises ValueError before its end, as it reveals hidden moves."""
    if trainer.ending is None:
        raise ValueError("a game can be recorded only when it has ended: the record shows hidden information")
    table, account = trainer.table, account_of(trainer)
    return {
        "format": FORMAT,
        "game": table.game.facts.name,
        "parameters": json_parameters(table.game),
        "seat": table.seat,
        "opponents": {str(player): name for player, name in table.opponents.items()},
        "seed": trainer.seed,
        "without_costs": table.without_costs,
        "dealt": trainer.dealt,
        "steps": [_stored(step) for step in trainer.steps],
        "ending": trainer.ending,
        "left": trainer.left and trainer.left.text,
        "payoffs": list(trainer.payoffs),
        "total_cost": None if table.judge is None else trainer.total,
        "account": account and {name: float(term) for name, term in asdict(account).items()},
    }


def _stored(step: Step) -> dict[str, Any]:
    verdict = None
    if step.verdict is not None:
        figures = {"costs": step.verdict.costs, "mix": step.verdict.mix}
        verdict = {name: {str(action): figure for action, figure in of.items()} for name, of in figures.items()}
    return {
        "actions": {str(player): action for player, action in step.actions.items()},
        "outcome": step.outcome,
        "seal": step.seal and step.seal.text,
        "verdict": verdict,
    }


def record_bytes(trainer: Trainer) -> bytes:
    """Returns the content of a JSON file with the record, one line for each step."""
    record = record_of(trainer)
    entries = [f"{json.dumps(name)}: {_json(value)}" for name, value in record.items()]
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode()


def _json(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n]"
    return json.dumps(value)


def write_record(trainer: Trainer, path: Path) -> None:
    """Writes the record of a finished game atomically."""
    write_atomically(path, record_bytes(trainer))


def free_name(record: Path, number: int) -> Path:
    """Returns the file for the record of the game with this number: `game.json` for game 1, then `game-2.json` etc.

    For later games, names of existing files are skipped.
    """
    if number == 1:
        return record
    names = (record.with_stem(f"{record.stem}-{later}") for later in count(number))
    return next(name for name in names if not os.path.lexists(name))


class Record:
    """A record that was read and checked.

    Attributes:
        game: The rules.
        seat: The human player's seat.
        names: The players' names by seat.
        episode: The complete game.
        content: All entries; see `StoredGame`.
        account: The explanation of the result; None if unknown.
    """

    def __init__(self, content: dict[str, Any]) -> None:
        """Replays a record by the rules; raises ValueError if it is incomplete or inconsistent with the rules."""
        self.content = check(StoredGame, content)
        self.game = game_of(content["game"], content["parameters"])
        players = range(self.game.facts.num_players)
        self.seat = content["seat"]
        if self.seat not in players:
            raise ValueError(f"seat ({self.seat}) must be in 0..{len(players) - 1}")
        if sorted(content["opponents"]) != sorted(str(player) for player in players if player != self.seat):
            raise ValueError(f"opponents ({', '.join(content['opponents'])}) must be all players but {self.seat}")
        self.names = tuple(content["opponents"].get(str(player), "you") for player in players)
        self.episode = self._replayed()
        self.account = content["account"] and Account(**content["account"])
        if list(self.episode.payoffs) != content["payoffs"]:
            raise ValueError(f"payoffs ({content['payoffs']}) must be {list(self.episode.payoffs)} after these moves")
        paid = self.episode.payoffs[self.seat]
        if self.account is not None and not (self.account.result == paid and self.account.adds_up):
            raise ValueError(f"account: its result must be {paid}, and its terms must add up to that")

    def revealed(self) -> list[Revealed[Any]]:
        """Returns what the human player could see at each state, from the initial to the final state."""
        return self.episode.revealed(self.game, self.seat)

    def remarks(self) -> list[str]:
        """Returns, for each state, the cost of the human player's preceding move as text; "" if it was not judged."""
        remarks = [""]
        for step in self.content["steps"]:
            verdict, played = step["verdict"], str(step["actions"].get(str(self.seat)))
            cost = None if verdict is None else verdict["costs"].get(played)
            remarks.append("" if cost is None else f"player_{self.seat} gave away {points(cost)} points")
        return remarks

    def _replayed(self) -> Episode[Any]:
        steps = self.content["steps"]
        moves = (({int(seat): a for seat, a in step["actions"].items()}, step["outcome"]) for step in steps)
        episode = replayed(self.game, self.names, self.content["dealt"], moves).episode
        number = 0
        for index, (step, actions) in enumerate(zip(steps, episode.actions, strict=True)):
            number += step["seal"] is not None
            self._check_seal(f"steps[{index}]", step["seal"], number, actions)
        self._check_ending(episode.states[-1])
        return episode

    def _check_seal(self, where: str, sealed: str | None, number: int, actions: dict[int, int]) -> None:
        moved = self.seat in actions and not self.game.waits(actions[self.seat])
        if (sealed is not None) != moved:
            raise ValueError(f"{where}.seal must be given if and only if player_{self.seat} has moved")
        others = {player: action for player, action in actions.items() if player != self.seat}
        if sealed is not None and not opens_to(sealed, self.game, number, others):
            raise ValueError(f"{where}.seal commits to moves other than those played")

    def _check_ending(self, state: Any) -> None:
        ending = self.content["ending"]
        live, acting = self.seat in self.game.live_players(state), bool(self.game.acting_players(state))
        possible = ("given up", "broken off") if live else ("out",) if acting else ("over",)
        if ending not in possible:
            raise ValueError(f"ending ({ending!r}) does not match the state after these moves")


def read_record(path: Path) -> Record:
    """Reads a record and checks it completely.

    Raises:
        ValueError: If the file is not a record, or the rules do not allow the recorded game; the error names the file.
        OSError: If the file cannot be read.
    """
    content = read_plain(path)
    try:
        return Record(parse_object(content))
    except ValueError as error:
        raise ValueError(f"{path} is not the record of a game: {error}") from None
