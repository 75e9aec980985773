"""Checks of text and pictures."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cardwar_envs.contract.answers import asking, place, short
from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable, Noted, failing
from cardwar_envs.core.scene import Revealed

SHOWN = 300  # pictures are slow


def states_and_actions_have_words(case: Case) -> None:
    """`how_to_play`, `describe` and `describe_action` return strings; a player's legal actions have distinct names."""
    words: dict[tuple[int, int], str] = {}
    for node in case.nodes:
        text = case.ask("describe", node.state)
        if not isinstance(text, str) or not text.strip():
            raise Failed(f"{place(node.state)}: describe returns {short(text)}, which must be a non-empty string")
        for player in node.live:
            for action in node.legal[player]:
                if (player, action) not in words:
                    with asking(f"describe_action of {action}", node.state, player):
                        words[player, action] = case.game.describe_action(action, player)
                word = words[player, action]
                if not isinstance(word, str) or not word.strip():
                    found = f"describe_action of {action} is {word!r}"
                    raise Failed(f"{place(node.state, player)}: {found}, which must be a non-empty string")
            by_word = {words[player, action]: action for action in node.legal[player]}
            for action in node.legal[player]:
                if by_word[words[player, action]] != action:
                    both = f"actions {action} and {by_word[words[player, action]]}"
                    raise Failed(f"{place(node.state, player)}: {both} are both called {words[player, action]!r}")
    with failing("how_to_play raises"):
        rules = case.game.how_to_play
    if not isinstance(rules, str) or not rules.strip():
        raise Failed(f"how_to_play is {short(rules)}, which must be a property that returns a non-empty string")


def states_read_differently(case: Case) -> None:
    """Different states should have different descriptions (otherwise a note).

    If the state is not public, this holds for what `describe_revealed` shows each player at different observations.
    """
    if not case.facts.public_state:
        _observations_read_differently(case)
        return
    states: dict[str, Any] = {}
    for node in case.nodes:
        try:
            other = states.setdefault(case.game.describe(node.state), node.state)
        except Exception:
            raise NotApplicable("describe raises an error") from None
        if other != node.state:
            raise Noted(f"{place(node.state)} and {place(other)} have the same description")


def _observations_read_differently(case: Case) -> None:
    read: dict[tuple[int, str], tuple[Any, bytes]] = {}
    for node in case.some(SHOWN):
        for player in node.live:
            with asking("describe_revealed", node.state, player):
                text = case.game.describe_revealed(_revealed(case, node.state, player))
                seen = np.asarray(case.game.observation(node.state, player)).tobytes()
            other, before = read.setdefault((player, text), (node.state, seen))
            if seen != before:
                raise Noted(
                    f"{place(node.state, player)} is described like {place(other)}, though its observation differs; "
                    "override describe_revealed to show what the player `revealed.viewer` sees"
                )


def _revealed(case: Case, state: Any, player: int) -> Revealed[Any]:
    return Revealed(state, player, None, (0.0,) * case.facts.num_players, False)


def pictures_keep_secrets(case: Case) -> None:
    """If the state is not public, states with equal observations have equal text and pictures (otherwise a note).

    By default, `describe_revealed` and `scene` show everything that `describe` returns.
    """
    if case.facts.public_state:
        raise NotApplicable("players see the state")
    alike: dict[tuple[int, bytes], tuple[Any, Any]] = {}
    for node in case.some(SHOWN):
        # Environments give an info to players who have just left, too; at the end everything may be shown.
        for player in range(case.facts.num_players) if node.acting else ():
            with asking("a picture", node.state, player):
                seen = np.asarray(case.game.observation(node.state, player)).tobytes()
                revealed = _revealed(case, node.state, player)
                with np.printoptions(threshold=sys.maxsize, floatmode="unique"):  # complete arrays
                    told = repr(case.game.info(node.state, player))
                shown = case.game.describe_revealed(revealed), case.game.scene(revealed), told
            other, before = alike.setdefault((player, seen), (node.state, shown))
            if shown != before:
                at = f"{place(node.state, player)} looks like {place(other)}"
                raise Noted(
                    f"{at}, but describe_revealed, scene or info shows a difference; "
                    "override it to show only what the player `revealed.viewer` sees"
                )
