"""The oracle of duels in which only the order of ranks matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.oracles.protocol import Payoffs, Request, solve_table
from baselines.oracles.rank_games.evaluation import DuelPlay, plays_by_words
from baselines.oracles.rank_games.interleavings import fits
from baselines.oracles.rank_games.invariances import check_by_words
from baselines.oracles.rank_games.response_policy import DuelResponse
from baselines.oracles.rank_games.sizes import MOST_CARDS
from baselines.oracles.rank_games.solver import ENGINES, DuelTable
from baselines.oracles.results import BestResponse, HeadToHead, StateSolution
from cardwar_envs.core.game import Game, same_rules_as
from cardwar_envs.core.policy import Policy
from cardwar_envs.games.duel import Duel


class DuelOracle:
    """The `Oracle` of duels in which only the order of ranks matters."""

    def __init__(self, game: Duel) -> None:
        self._game = game

    @staticmethod
    def takes(game: Game[Any]) -> bool:
        """Games with the rules of `Duel` in which only the order of ranks matters."""
        return same_rules_as(game, Duel) and game.ranks_are_ordinal and len(game.hands[0]) <= MOST_CARDS

    @staticmethod
    def solves(game: Game[Any], request: Request) -> bool:
        """The same games, in floats, any equilibrium, if interleavings are short enough for tables."""
        return request.plain and same_rules_as(game, Duel) and DuelOracle.takes(game) and fits(game.hands)

    def solve(self, request: Request) -> StateSolution:
        table = DuelTable(
            self._game, keep_layers=request.keep_layers, folder=request.cache, engine=request.engine or ENGINES[0]
        )
        return solve_table(table, "backward induction over words", request)

    def response(self, policies: Sequence[Policy], player: int) -> BestResponse:
        play = DuelPlay(self._game, [None if seat == player else policy for seat, policy in enumerate(policies)])
        choices: list[NDArray[np.int16]] = []
        value = play.results(choices)[player]
        return BestResponse(value if player == 0 else 0.0 - value, DuelResponse(play, choices, player))

    def payoffs(self, policies: Sequence[Policy]) -> tuple[Payoffs, Payoffs]:
        response_0, response_1, mean = DuelPlay(self._game, policies).results()
        return (mean, 0.0 - mean), (response_0, 0.0 - response_1)

    def check_invariances(self, policies: Sequence[Policy | None]) -> int:
        by_words = self._game.view == "cards" and all(plays_by_words(each) for each in policies if each is not None)
        return check_by_words(self._game, policies) if by_words else 0

    def odds(self, policies: Sequence[Policy]) -> HeadToHead:
        *_, mean, win, loss = DuelPlay(self._game, policies, outcomes=True).results()
        return HeadToHead(min(win, 1.0), min(loss, 1.0), max(1.0 - win - loss, 0.0), mean)
