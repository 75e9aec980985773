"""The oracle of Goofspiel: equilibria on interleavings, for games too large to enumerate their states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.answers.protocol import Payoffs, Request, solve_table
from baselines.oracles.answers.results import BestResponse, HeadToHead, StateSolution
from baselines.oracles.rank_games.invariances import check_by_words
from baselines.oracles.rank_games.prize_response import PrizePlay, PrizeResponse
from baselines.oracles.rank_games.reached import ReachedPlay
from baselines.oracles.rank_games.response import plays_by_words
from baselines.oracles.rank_games.sizes import MAX_GAMES, MOST_STATES, require_matrix_games
from baselines.oracles.rank_games.solver import ENGINES, GoofspielTable
from baselines.oracles.state_graph.response import GraphOracle
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.goofspiel import Goofspiel


class GoofspielOracle(GraphOracle):
    """The `Oracle` of Goofspiel.

    Policies that declare `by_words` are measured on interleavings. Others are measured at the states that they reach,
    or on the state graph if `max_states` is given; the graph also gives their best responses.
    """

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """Accepts games with the rules of `Goofspiel`."""
        return same_rules_as(game, Goofspiel)

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """Supports games with the rules of `Goofspiel`, in floats, for any equilibrium."""
        return request.plain and same_rules_as(game, Goofspiel)

    @staticmethod
    def quick_states(game: Game[Any]) -> int:
        """Allows more interleavings, which are not enumerated in Python: 8 cards in random order."""
        assert isinstance(game, Goofspiel)  # see `takes`
        return 1_000_000 if game.view == "word" else GraphOracle.quick_states(game)

    def __init__(self, game: Game[Any], max_states: int | None = None) -> None:
        super().__init__(game, max_states)
        assert isinstance(game, Goofspiel)  # see `takes`
        self._game: Goofspiel = game
        self._limited = max_states is not None

    def solve(self, request: Request) -> StateSolution:
        require_matrix_games(self._game, request.max_states or MAX_GAMES, "can be solved")
        table = GoofspielTable(
            self._game, keep_layers=request.keep_layers, folder=request.cache, engine=request.engine or ENGINES[0]
        )
        return solve_table(table, "backward induction over words", request)

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        other = policies[1 - player]
        if not self._by_words([other]):
            return super().response(policies, player)
        require_matrix_games(self._game, MOST_STATES, "can be stored as a best response (nash_conv gives its value)")
        play = self._play([other, other])
        choices: list[NDArray[np.int8]] = []
        value = play.results(choices)[player]
        return BestResponse(value if player == 0 else 0.0 - value, PrizeResponse(play, player, choices))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        if not self._by_words(policies):
            return super().payoffs(policies) if self._limited else self._reached(policies)
        response_0, response_1, mean = self._play(policies).results()
        return (mean, 0.0 - mean), (response_0, 0.0 - response_1)

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        if self._by_words(policies):
            *_, ahead, decided = self._play(policies, outcomes=True).results()
            mean = ahead if self._game.payoff == "win" else self._play(policies).results()[2]
        elif self._limited:
            return super().odds(policies)
        else:
            forms = (self._game.payoff, "win", "decided")
            mean, ahead, decided = (ReachedPlay(self._game, policies, payoff).value() for payoff in forms)
        win, loss = ((decided + sign * ahead) / 2 for sign in (1, -1))
        return HeadToHead(min(win, 1.0), min(max(loss, 0.0), 1.0), max(1.0 - decided, 0.0), mean)

    def _reached(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        payoff, (first, second) = self._game.payoff, policies
        response_0 = ReachedPlay(self._game, [None, second], payoff).value()
        if first is second:  # the seats are alike
            return (0.0, 0.0), (response_0, response_0)
        response_1 = 0.0 - ReachedPlay(self._game, [first, None], payoff).value()
        mean = ReachedPlay(self._game, policies, payoff).value()
        return (mean, 0.0 - mean), (response_0, response_1)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        asked = [policy for policy in policies if policy is not None]
        return check_by_words(self._game, policies) if self._game.view == "cards" and self._by_words(asked) else 0

    def _by_words(self, policies: Sequence[Policy]) -> bool:
        return self._game.view == "word" or all(map(plays_by_words, policies))

    def _play(self, policies: Sequence[Policy], outcomes: bool = False) -> PrizePlay:
        return PrizePlay(self._game, policies, outcomes=outcomes, most=self._max_states if self._limited else None)
