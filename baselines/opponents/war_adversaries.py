"""The strategies of "WAR with Auction Rounds" (2017) that know the other players' policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from baselines.opponents import word_for
from baselines.opponents.war import checked_war
from cardwar_envs.core.game import Game
from cardwar_envs.core.policy import Masks, Observations, Policy, Probabilities, checked_probabilities
from cardwar_envs.core.policy_names import as_policy, needs_others
from cardwar_envs.games.war import War
from cardwar_envs.games.war.actions import WarChoice
from cardwar_envs.games.war.state import Pile, WarState

# A probability counts as 1 if it differs by at most this much: answers are checked and normalised.
CERTAIN_TO = 1e-9


class _Adversary:
    """Queries the other players' policies for their actions.

    Args:
        game: WAR.
        others: The policies of the other seats, or their names, in seating order, starting with the next seat. They
            must be deterministic, and none may itself be an adversary that queries others.

    Raises:
        ValueError: If the game is not WAR, or `others` is not as described. A mixed strategy of another player is
            noticed only in play and raises a ValueError there.
    """

    def __init__(self, game: Game[Any], others: Sequence[Policy | str] | None = None) -> None:
        self._game = checked_war(game, self)
        expected, name = self._game.num_players - 1, word_for(self)
        if not isinstance(others, Sequence) or isinstance(others, str) or len(others) != expected:
            raise ValueError(
                f"{name} needs the policies of the {expected} other seats, next seat first: others ({others})"
            )
        if any(isinstance(each, _Adversary) or needs_others(each) for each in others):
            raise ValueError(f"{name} cannot play against another adversary that must know its play: others ({others})")
        self._others = [as_policy(each, self._game) for each in others]
        # Its play is independent of the rounds left if that of all others is.
        self.stationary = all(getattr(each, "stationary", False) for each in self._others)

    @staticmethod
    def fits(game: Game[Any]) -> bool:
        """Returns whether such a player can play the game, without the other policies that the constructor needs."""
        return isinstance(game, War)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} for {self._game.facts.name}, against {', '.join(map(repr, self._others))}>"

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        wait = self._game.actions.wait
        probabilities = np.zeros(action_masks.shape)
        for row, (observation, mask) in enumerate(zip(observations, action_masks, strict=True)):
            # The observer is player 0 of the state; the others follow in the order of `others`.
            action = wait if mask[wait] else self._action(self._game.state_of(observation)[0])
            probabilities[row, action] = 1.0
        return probabilities

    def _action(self, state: WarState) -> int:
        raise NotImplementedError

    def _asked(self, state: WarState, player: int) -> int:
        game, policy = self._game, self._others[player - 1]
        seen, mask = game.observation(state, player)[None], game.action_mask(state, player)[None]
        answer = checked_probabilities(policy, seen, mask)[0]
        action = int(answer.argmax())
        if answer[action] < 1.0 - CERTAIN_TO:
            raise ValueError(
                f"{word_for(self)} needs deterministic opponents, but {word_for(policy)} plays "
                f"{game.describe_action(action)!r} with probability {answer[action]:.6g}"
            )
        return action

    def _card_of(self, action: int) -> int:
        play = self._game.actions.decode(action)
        assert play is not None  # only players with a choice are queried
        return play.battle if isinstance(play, WarChoice) else play


class GeneralPurposeAdversary(_Adversary):
    """Knows what the others will play, and wins with its lowest winning card or forces a tie.

    It forces a tie only if none of the others would battle with a higher card than its own in the war that follows;
    that war can tie again. In a war it queries which cards the others would play *in a round*, as the program does. It
    skips players without cards, on some of whom the program fails.

    Names: "GeneralPurposeAdversary" in WAR 2017, appendix, lines 117-162.
    """

    def _action(self, state: WarState) -> int:
        actions = self._game.actions
        if not state.tied:
            return actions.encode(self._round_card(state))
        return actions.encode(WarChoice(state.hands[0][: self._game.discards], self._battle_card(state)))

    def _round_card(self, state: WarState) -> int:
        """Applies the program's `chooseone` to all players who hold cards."""
        mine = state.hands[0]
        holding = [player for player in range(1, self._game.num_players) if state.hands[player]]
        played = {player: self._card_of(self._asked(state, player)) for player in holding}
        top = max(played.values())
        winning = [card for card in mine if card > top]
        if winning:
            return winning[0]
        can_tie = mine[-1] == top and len(mine) >= self._game.discards + 2
        if can_tie and not self._is_outdone(state, top, [player for player in holding if played[player] == top]):
            return top
        return mine[0]

    def _is_outdone(self, state: WarState, card: int, tied: list[int]) -> bool:
        """Returns whether a tied player battles with a higher card than player 0 in the war after a tie."""
        hands = {player: list(state.hands[player]) for player in (0, *tied)}
        hands[0].remove(card)
        # As in the program, removing a player makes the loop skip the next one, who then keeps the card.
        for player in tied:
            hands[player].remove(card)
            if not hands[player]:
                tied.remove(player)
        war = self._among(state, {player: tuple(hands[player]) for player in (0, *tied)}, at_war=True)
        mine = self._battle_card(war)
        able = [player for player in tied if len(hands[player]) > self._game.discards]
        return any(self._card_of(self._asked(war, player)) > mine for player in able)

    def _battle_card(self, state: WarState) -> int:
        """Applies the program's `choosetie`: discards the lowest cards, then chooses as in a round."""
        upper = state.hands[0][self._game.discards :]
        rivals = {player: state.hands[player] for player in state.tied if player and state.hands[player]}
        return self._round_card(self._among(state, {0: upper, **rivals}, at_war=False)) if rivals else upper[0]

    def _among(self, state: WarState, hands: dict[int, Pile], at_war: bool) -> WarState:
        """Returns a state in which only the given players hold cards and are in the game; it need not be reachable."""
        players = tuple(sorted(hands))
        all_hands = tuple(hands.get(player, ()) for player in range(self._game.num_players))
        return state._replace(hands=all_hands, tied=players if at_war else (), live=players)


class GeneralPurposeAdversaryAsWritten(_Adversary):
    """Knows what the others will play, and wins with its lowest winning card or forces ties that it wins in the end.

    For the war after a tie, it queries all others' choices in that war, and so on until it is decided. In a war it
    discards its lowest cards and chooses the battle card in the same way.

    Names: "GeneralPurposeAdversary" in WAR 2017, section III.F.
    """

    def _action(self, state: WarState) -> int:
        return self._choice(state)[0]

    def _choice(self, state: WarState) -> tuple[int, bool]:
        """Returns the action and whether it leads to winning the pot."""
        game = self._game
        discards = state.hands[0][: game.discards] if state.tied else ()
        cards = state.hands[0][len(discards) :]
        plays = [game.actions.encode(WarChoice(discards, card) if state.tied else card) for card in cards]
        theirs = {player: self._asked(state, player) for player in game.acting_players(state) if player}
        top = max(map(self._card_of, theirs.values()), default=0)
        for card, play in zip(cards, plays, strict=True):
            if card > top:
                return play, True
        if cards[-1] == top and self._wins_tie(state, {0: plays[-1], **theirs}):
            return plays[-1], True
        return plays[0], False

    def _wins_tie(self, state: WarState, actions: dict[int, int]) -> bool:
        after = self._game.transitions(state, actions)[0].state
        return bool(after.tied) and 0 in self._game.acting_players(after) and self._choice(after)[1]
