"""The oracle of duels in which only the order of ranks matters, and of Goofspiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import Payoffs, Request, solve_table
from baselines.oracles.answers.results import BestResponse, HeadToHead, StateSolution
from baselines.oracles.rank_games.evaluation import Evaluation, kernel
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.sizes import MAX_GAMES, MOST_CARDS, MOST_STATES, require_matrix_games
from baselines.oracles.rank_games.solver import ENGINES, DuelTable, GoofspielTable
from baselines.oracles.rank_games.word_policy import check_by_words, packed_counts, plays_by_words
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.duel import Duel
from cardwar_envs.games.goofspiel import Goofspiel


class RankOracle:
    """The `Oracle` of duels in which only the order of ranks matters, and of Goofspiel.

    Policies that declare `by_words` are measured on interleavings. In Goofspiel, others are measured at the states that
    they reach, or at all states if `max_states` is given.
    """

    def __init__(self, game: Game[Any], max_states: int | None = None) -> None:
        assert isinstance(game, Duel | Goofspiel)  # see `takes`
        self._game: Duel | Goofspiel = game
        self._max_states = max_states

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """Accepts games with the rules of `Goofspiel`, or of `Duel` if only the order of ranks matters."""
        if same_rules_as(game, Goofspiel):
            return True
        return same_rules_as(game, Duel) and game.ranks_are_ordinal and len(game.hands[0]) <= MOST_CARDS

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """Supports the same games, in floats, for any equilibrium, if a duel's interleavings fit into tables."""
        if not (request.plain and RankOracle.takes(game)):
            return False
        return not same_rules_as(game, Duel) or fits(game.hands)

    @staticmethod
    def quick_states(game: Game[Any]) -> int:
        """Returns the limit on the states, so that measuring a policy takes seconds; any duel is quick enough."""
        if isinstance(game, Duel):
            return MOST_STATES
        return 1_000_000 if isinstance(game, Goofspiel) and game.view == "word" else 100_000

    def solve(self, request: Request) -> StateSolution:
        game = self._game
        options: dict[str, Any] = {"keep_layers": request.keep_layers, "folder": request.cache}
        options["engine"] = request.engine or ENGINES[0]
        if isinstance(game, Goofspiel):
            require_matrix_games(game, request.max_states or MAX_GAMES, "can be solved")
        table = DuelTable(game, **options) if isinstance(game, Duel) else GoofspielTable(game, **options)
        return solve_table(table, "backward induction over words", request)

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        game, others = self._game, [None if seat == player else policy for seat, policy in enumerate(policies)]
        if isinstance(game, Goofspiel) and self._by_words(others):
            require_matrix_games(game, MOST_STATES, "can be stored as a best response (nash_conv gives its value)")
        play = Evaluation(game, others, most=self._max_states)
        choices: list[NDArray[np.int16]] = []
        value = play.results(choices)[player]
        return BestResponse(value if player == 0 else 0.0 - value, RankResponse(play, player, choices))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        first, second = policies
        if not self._sparse(policies):
            response_0, response_1, mean = Evaluation(self._game, policies, most=self._max_states).results()
        else:
            response_0 = Evaluation(self._game, [None, second], sparse=True).results()[0]
            if first is second:  # the seats are alike
                return (0.0, 0.0), (response_0, response_0)
            response_1 = Evaluation(self._game, [first, None], sparse=True).results()[1]
            mean = Evaluation(self._game, policies, sparse=True).results()[2]
        return (mean, 0.0 - mean), (response_0, 0.0 - response_1)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        return check_by_words(self._game, policies) if self._game.view == "cards" and self._by_words(policies) else 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        sparse = self._sparse(policies)
        play = Evaluation(self._game, policies, outcomes=True, sparse=sparse, most=self._max_states)
        *_, mean, win, loss = play.results()
        return HeadToHead(min(win, 1.0), min(loss, 1.0), max(1.0 - win - loss, 0.0), mean)

    def _by_words(self, policies: Sequence[Policy | None]) -> bool:
        return self._game.view == "word" or all(plays_by_words(each) for each in policies if each is not None)

    def _sparse(self, policies: Sequence[Policy]) -> bool:
        return isinstance(self._game, Goofspiel) and self._max_states is None and not self._by_words(policies)


class RankResponse:
    """A deterministic best response from one seat of a duel or of Goofspiel; ties go to the lowest action.

    Plays uniformly over legal actions at states that are decided or unreachable. For 13-card Jujitsu on interleavings
    it takes some fifty megabytes.
    """

    def __init__(self, play: Evaluation, player: int, choices: Sequence[NDArray[np.int16]]) -> None:
        """Takes an evaluation against the other player's policy, and its `choices`."""
        self._game, self._player, self._shows_score = play.game, player, play.scoring.shown
        self._renumbers = play.packed and play.game.view == "cards"
        self._layers, self._tables = play.layers, [layer.table() for layer in play.layers]
        self._choices = [best[:, player].copy() for best in choices]
        seen = [layer.rest[:, player] for layer in play.layers]
        self._rows_of_rest = [{each.tobytes(): row for row, each in enumerate(rest)} for rest in seen]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: a best response of player_{self._player} in {self._game.facts.name}>"

    def action_probabilities(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float64]:
        """Returns `[batch, num_actions]` probabilities."""
        probabilities: NDArray[np.float64] = action_masks / action_masks.sum(axis=1, keepdims=True)
        ranks = action_masks.shape[1]
        own, other, rest = np.split(np.asarray(observations, dtype=np.float32), [ranks, 2 * ranks], axis=1)
        both, numbers = [own, other], np.broadcast_to(np.arange(ranks), own.shape)
        if self._renumbers:
            *both, numbers = packed_counts(own, other)
        hands = np.concatenate(both if self._player == 0 else both[::-1], axis=1)
        if isinstance(self._game, Duel) and not self._shows_score:
            rest = rest * np.array([0, 1], dtype=np.float32)
        rest = rest + np.float32(0)  # no -0
        cards = own.sum(axis=1).astype(np.int64)
        for left in np.unique(cards[(cards > 0) & (cards <= len(self._layers))]):
            some = np.flatnonzero(cards == left)
            chosen = self._chosen(int(left), hands[some], rest[some])
            some, chosen = some[chosen >= 0], chosen[chosen >= 0]
            # The lowest of interchangeable cards.
            played = ((numbers[some] == chosen[:, None]) & (own[some] > 0)).argmax(axis=1)
            probabilities[some] = 0.0
            probabilities[some, played] = 1.0
        return probabilities

    def _chosen(self, cards: int, hands: NDArray[np.float32], rest: NDArray[np.float32]) -> NDArray[np.int64]:
        """Returns the best rank at states with this many cards left, -1 where it is unknown."""
        layer, compute = self._layers[cards - 1], kernel(2e-5 * len(hands))
        pairs, chosen = np.empty(len(hands), dtype=np.int64), np.full(len(hands), -1, dtype=np.int64)
        rows = np.zeros((len(hands), layer.rows.shape[1]), dtype=np.uint8)
        rows[:, : hands.shape[1]] = hands
        compute.find(layer.rows.view(np.uint64), rows.view(np.uint64), self._tables[cards - 1], pairs)
        found = self._rows_of_rest[cards - 1]
        for i, each in enumerate(rest):
            context, prize = divmod(found.get(each.tobytes(), -1), max(layer.prizes, 1))
            position = compute.position_of(layer.marks, pairs[i], context) if context >= 0 else -1
            if position >= 0:
                chosen[i] = self._choices[cards - 1][position * layer.prizes + prize]
        return chosen
