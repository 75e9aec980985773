"""The oracle of duels in which only the order of ranks matters, and of Goofspiel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import Payoffs, Request, solve_table
from baselines.oracles.answers.results import BestResponse, HeadToHead, StateSolution
from baselines.oracles.rank_games.evaluation import Evaluation, RankResponse
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.sizes import MAX_GAMES, MOST_CARDS, MOST_STATES, require_matrix_games
from baselines.oracles.rank_games.solver import ENGINES, DuelTable, GoofspielTable
from baselines.oracles.rank_games.word_policy import check_by_words, plays_by_words
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
