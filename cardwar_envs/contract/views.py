"""Checks of what players see: observations, text and pictures."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from cardwar_envs.contract.case import Case
from cardwar_envs.contract.verdicts import Failed, NotApplicable, Noted, failing, kind_of, querying, short, where
from cardwar_envs.core.game import GameFacts
from cardwar_envs.core.scene import Revealed


def observation_fault(facts: GameFacts, seen: Any) -> str:
    """Describes a fault in an observation; "" if there is none."""
    low, high = (np.array(bound, dtype=np.float32) for bound in (facts.observation_low, facts.observation_high))
    if not isinstance(seen, np.ndarray) or seen.dtype != np.float32 or seen.shape != low.shape:
        return f"it is {kind_of(seen)}, not float32[{len(low)}]"
    outside = np.flatnonzero(~((low <= seen) & (seen <= high)))  # NaN counts as outside
    if len(outside):
        entry = int(outside[0])
        return f"entry {entry} is {seen[entry]:g}, out of {low[entry]:g}..{high[entry]:g}"
    return ""


def observations_fit_their_bounds(case: Case) -> None:
    """Observations are float32, of the declared size and within the declared bounds, up to the end of the game."""
    if len(case.facts.observation_low) != len(case.facts.observation_high):
        raise NotApplicable("the bounds have different lengths")
    for node in case.nodes:
        for player in range(case.facts.num_players):
            seen = case.query("observation", node.state, player)
            if fault := observation_fault(case.facts, seen):
                raise Failed(f"{where(node.state, player)}: {short(seen)}: {fault}")


def arrays_are_fresh(case: Case) -> None:
    """Observations and masks share no memory, and writing into them has no effect.

    Replay buffers store the arrays, and policies may write into them.
    """
    for node, player in case.choosing:
        for what in ("observation", "action_mask"):
            first, second = (case.query(what, node.state, player) for _ in range(2))
            if not isinstance(first, np.ndarray):
                raise NotApplicable(f"{what} does not return an array")
            kept = np.array(first)
            if np.may_share_memory(first, second):
                raise Failed(f"{where(node.state, player)}: two arrays that {what} returned share memory")
            if not first.flags.writeable:
                raise Failed(f"{where(node.state, player)}: the array that {what} returned is not writable")
            first[...] = 7
            if not np.array_equal(case.query(what, node.state, player), kept):
                raise Failed(f"{where(node.state, player)}: writing into an array from {what} changes the next one")


def observations_tell_states_apart(case: Case) -> None:
    """If the state is public, states with the same observation have the same legal actions and the same future."""
    case.require_public_state()
    for player in range(case.facts.num_players):
        alike: dict[bytes, Any] = {}
        for node in reversed(case.nodes):  # near the end, states differ immediately
            seen = case.query("observation", node.state, player, to=np.asarray).tobytes()
            other = alike.setdefault(seen, node.state)
            if other is not node.state and case.differ(node.state, other):
                raise Failed(
                    f"{where(other, player)} looks like {where(node.state)}, but has a different future; "
                    "add to the observation what distinguishes them, for example the seat"
                )


def observations_show_what_is_legal(case: Case) -> None:
    """If the state is not public, a player who acts has the same legal actions wherever its observation is the same."""
    case.require_private_state()
    alike: dict[tuple[int, bytes], tuple[Any, Any]] = {}
    for node in case.nodes:
        for player in node.acting:
            seen = case.query("observation", node.state, player, to=np.asarray).tobytes()
            other, legal = alike.setdefault((player, seen), (node.state, node.legal[player]))
            if legal != node.legal[player]:
                raise Failed(
                    f"{where(node.state, player)} looks like {where(other)}, but its legal actions are "
                    f"{short(node.legal[player])}, not {short(legal)}; show in the observation what they depend on"
                )


def observations_hold_what_was_seen(case: Case) -> None:
    """If the state is not public, an observation determines the player's last one and its move (otherwise a note).

    Then it holds everything that the player has seen and done. Policies see only the present observation, so in other
    games they forget, and no policy is an equilibrium.
    """
    case.require_private_state()
    before: dict[tuple[int, bytes], tuple[Any, Any]] = {}
    for node, actions, outcomes in case.moves:
        chosen = node.chosen(actions)
        for outcome in outcomes:
            for player in case.choices(outcome.state).live if case.choices(outcome.state).acting else ():
                earlier, now = (
                    case.query("observation", state, player, to=np.asarray).tobytes()
                    for state in (node.state, outcome.state)
                )
                history = earlier, chosen.get(player)
                if history == (now, None):  # nothing has happened to a player who waits
                    continue
                other, known = before.setdefault((player, now), (node.state, history))
                if known != history:
                    raise Noted(
                        f"{where(outcome.state, player)}: observations do not tell {where(node.state)} with action "
                        f"{history[1]} from {where(other)} with action {known[1]}; policies forget this"
                    )


def entries_vary(case: Case) -> None:
    """Every entry of an observation takes more than one value (otherwise a note)."""
    seats = range(case.facts.num_players)
    seen = [np.ravel(case.game.observation(node.state, player)) for node in case.nodes for player in seats]
    if len({row.shape for row in seen}) != 1:
        raise NotApplicable("observations have different lengths")
    constant = np.flatnonzero(np.ptp(np.array(seen), axis=0) == 0).tolist()
    if constant:
        raise Noted(f"entries {short(constant)} of observations are the same in {case.extent}")


def state_of_reads_observations(case: Case) -> None:
    """If the state is public, `state_of` returns a state with that observation, and the observer's seat.

    The seat is 0 in a seat-symmetric game. If the seat is the observer's own, the returned state is the observed state
    or a state with the same future.
    """
    case.require_public_state()
    facts = case.facts
    for node in case.nodes:
        for player in range(facts.num_players):
            at, turned, seat = where(node.state, player), *_turned(case, node.state, player)
            expected = 0 if facts.seat_symmetric else player
            if seat != expected:
                raise Failed(
                    f"{at}: state_of returns seat {short(seat)}, not {expected}; the observation must show the seat"
                )
            if type(turned) is not type(node.state):
                raise Failed(f"{at}: state_of returns {short(turned)}, which has a different type")
            seen = case.query("observation", turned, seat)
            if not np.array_equal(seen, case.game.observation(node.state, player)):
                raise Failed(f"{at}: state_of returns {short(turned)}, which player_{seat} observes differently")
            # `observations_tell_states_apart` reports states that look alike.
            if seat == player and not case.knows(turned) and case.differ(node.state, turned):
                raise Failed(f"{at}: state_of returns {short(turned)}, which has a different future")


def seats_are_alike(case: Case) -> None:
    """If the game is declared seat-symmetric, any player's observation could be player 0's, with the same future.

    The other players then keep their order around the table (or, with more than two players, only player 0 and the
    observer swap seats).
    """
    facts = case.facts
    if not facts.seat_symmetric:
        raise NotApplicable("the game is not declared seat-symmetric")
    count = facts.num_players
    case.require_public_state()
    for node in case.compared:
        for player in range(1, count):
            try:
                (own, _), (turned, seat) = (_turned(case, node.state, each) for each in (0, player))
            except Failed as fault:
                raise NotApplicable(str(fault)) from None
            if seat != 0 or case.differ(node.state, own):
                raise NotApplicable("state_of does not read observations")
            in_turn = tuple((other - player) % count for other in range(count))
            exchanged = tuple({0: player, player: 0}.get(other, other) for other in range(count))
            if all(case.differ(node.state, turned, seats) for seats in {in_turn, exchanged}):
                raise Failed(f"{where(node.state, player)}: as player_0 it is {short(turned)}, with a different future")


def opponent_masks_fit(case: Case) -> None:
    """With two players and public state, `opponent_masks` returns the other player's legal actions."""
    if case.facts.num_players != 2:
        raise NotApplicable("opponent_masks is for two players")
    case.require_public_state()
    for node in case.nodes:
        for player in node.acting:
            if 1 - player not in node.live:
                continue
            with querying("opponent_masks", node.state, player):
                try:
                    found = case.game.opponent_masks(case.game.observation(node.state, player)[None])
                except ValueError as error:
                    raise NotApplicable(str(error)) from None
            expected = case.game.action_mask(node.state, 1 - player)
            if not np.array_equal(found, expected[None]):
                at = where(node.state, player)
                raise Failed(f"{at}: opponent_masks are {short(found)}, the other's action_mask is {short(expected)}")


def _turned(case: Case, state: Any, player: int) -> tuple[Any, Any]:
    with querying("state_of", state, player):
        turned, seat = case.game.state_of(case.game.observation(state, player))
        hash(turned)
    return turned, seat


SHOWN = 300  # pictures are slow


def states_and_actions_have_words(case: Case) -> None:
    """`how_to_play`, `describe` and `describe_action` return strings; a player's legal actions have distinct names."""
    words: dict[tuple[int, int], str] = {}
    for node in case.nodes:
        text = case.query("describe", node.state)
        if not isinstance(text, str) or not text.strip():
            raise Failed(f"{where(node.state)}: describe returns {short(text)}, which must be a non-empty string")
        for player in node.live:
            for action in node.legal[player]:
                if (player, action) not in words:
                    with querying(f"describe_action of {action}", node.state, player):
                        words[player, action] = case.game.describe_action(action, player)
                word = words[player, action]
                if not isinstance(word, str) or not word.strip():
                    found = f"describe_action of {action} is {word!r}"
                    raise Failed(f"{where(node.state, player)}: {found}, which must be a non-empty string")
            by_word = {words[player, action]: action for action in node.legal[player]}
            for action in node.legal[player]:
                if by_word[words[player, action]] != action:
                    both = f"actions {action} and {by_word[words[player, action]]}"
                    raise Failed(f"{where(node.state, player)}: {both} are both called {words[player, action]!r}")
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
            raise Noted(f"{where(node.state)} and {where(other)} have the same description")


def _observations_read_differently(case: Case) -> None:
    read: dict[tuple[int, str], tuple[Any, bytes]] = {}
    for node in case.some(SHOWN):
        for player in node.live:
            with querying("describe_revealed", node.state, player):
                text = case.game.describe_revealed(_revealed(case, node.state, player))
                seen = np.asarray(case.game.observation(node.state, player)).tobytes()
            other, before = read.setdefault((player, text), (node.state, seen))
            if seen != before:
                raise Noted(
                    f"{where(node.state, player)} is described like {where(other)}, though its observation differs; "
                    "override describe_revealed to show what the player `revealed.viewer` sees"
                )


def _revealed(case: Case, state: Any, player: int) -> Revealed[Any]:
    return Revealed(state, player, None, (0.0,) * case.facts.num_players, False)


def pictures_keep_secrets(case: Case) -> None:
    """If the state is not public, states with equal observations have equal text and pictures (otherwise a note).

    By default, `describe_revealed` and `scene` show the observation.
    """
    case.require_private_state()
    alike: dict[tuple[int, bytes], tuple[Any, Any]] = {}
    for node in case.some(SHOWN):
        # Environments give an info to players who have just left, too; at the end everything may be shown.
        for player in range(case.facts.num_players) if node.acting else ():
            with querying("a picture", node.state, player):
                seen = np.asarray(case.game.observation(node.state, player)).tobytes()
                revealed = _revealed(case, node.state, player)
                with np.printoptions(threshold=sys.maxsize, floatmode="unique"):  # complete arrays
                    told = repr(case.game.info(node.state, player))
                shown = case.game.describe_revealed(revealed), case.game.scene(revealed), told
            other, before = alike.setdefault((player, seen), (node.state, shown))
            if shown != before:
                at = f"{where(node.state, player)} looks like {where(other)}"
                raise Noted(
                    f"{at}, but describe_revealed, scene or info shows a difference; "
                    "override it to show only what the player `revealed.viewer` sees"
                )
