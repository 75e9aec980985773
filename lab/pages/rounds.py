"""The worked round of each game, replayed by the rules: as text, and as the picture of a position in it."""

from __future__ import annotations

from typing import Any

from cardwar_envs import Episode, Game, Scene, Transition
from train.text.game_names import game_from_words

Step = tuple[dict[int, int], Transition[Any]]


def replayed(kind: type[Game[Any]]) -> tuple[Game[Any], list[Step]]:
    """Replays a game's worked round: the game, and the outcomes of the deal, with no actions, and of each joint move.

    Raises:
        ValueError: If a move is illegal.
    """
    given = kind.worked_round
    assert given is not None  # every game of the suite has one
    game = game_from_words(kind.name, given.parameters.split())
    steps: list[Step] = [({}, game.initial()[given.deal])]
    for number, plays in enumerate(given.moves):
        state = steps[-1][1].state
        players = game.acting_players(state)
        actions = {player: _action(game, state, player, play) for player, play in zip(players, plays, strict=True)}
        chance = given.outcomes[number] if given.outcomes else 0
        steps.append((actions, game.transitions(state, actions)[chance]))
    return game, steps


def _action(game: Game[Any], state: Any, player: int, play: str) -> int:
    words = {game.describe_action(action, player): action for action in game.legal_actions(state, player)}
    if play not in words:
        raise ValueError(f"{play} is not legal for player_{player}; the legal moves are {', '.join(words)}")
    return words[play]


def as_text(kind: type[Game[Any]]) -> str:
    """Formats a worked round as in the terminal: the positions and, between positions, moves and payoffs."""
    game, steps = replayed(kind)
    blocks = []
    for actions, outcome in steps:
        if actions:
            played = ", ".join(
                f"player_{seat}: {game.describe_action(action, seat)}" for seat, action in actions.items()
            )
            blocks.append(f"-> {played}; {_paid(outcome)}")
        blocks.append(game.describe(outcome.state))
    return "\n\n".join(blocks)


def _paid(outcome: Transition[Any]) -> str:
    paid = ", ".join(f"player_{seat} {points:+g}" for seat, points in enumerate(outcome.rewards))
    said = f"paid: {paid}" if any(outcome.rewards) else "nothing is paid"
    return said if outcome.probability == 1 else f"{said} (probability {float(outcome.probability):.4f})"


def picture(kind: type[Game[Any]]) -> Scene:
    """Draws the position after half of the worked round's moves, rounded up, as player_0 sees it."""
    game, steps = replayed(kind)
    moves, outcomes = zip(*steps, strict=True)
    paid = [outcome.rewards for outcome in outcomes]
    played = Episode(tuple(outcome.state for outcome in outcomes), moves[1:], paid[0], tuple(paid[1:]))
    return game.scene(played.revealed(game, viewer=0)[len(steps) // 2])
