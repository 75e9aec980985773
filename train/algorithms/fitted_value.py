"""Fitted value iteration, backwards: networks learn state values, from the last move of the game to the first.

Sources: L. S. Shapley, "Stochastic games" (PNAS, 1953), for the backup: the value of a state is that of the matrix game
whose entries are the expected reward of a joint action plus the value of the next state; R. Munos and Cs. Szepesvári,
"Finite-time bounds for fitted value iteration" (JMLR, 2008), for fitting networks on sampled states with a simulator.

In a game whose length is known by state, no state recurs, so each *layer*, the states with the same number of moves
left, has a network of its own, which is trained once: its targets depend only on networks that are finished. Before
training, the states of each layer are sampled from the successors of the sampled states above, regardless of how rarely
play reaches them.

The policy looks one move ahead in the same way, as G. Tesauro's TD-Gammon does ("Temporal difference learning and
TD-Gammon", Communications of the ACM, 1995), so policy and learner need the rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from copy import deepcopy
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from baselines import solve_matrices
from baselines.matrix_game.lookahead import Lookahead, StateValues, value_views
from cardwar_envs.core.game import Game
from cardwar_envs.core.process import Stopwatch
from cardwar_envs.envs.branching import MovesLeft, choices, distinct
from cardwar_envs.envs.engines.engine import Views
from train.algorithms.muon import optimizers
from train.learner.arguments import FittedValueArgs as Args
from train.learner.checkpoint import Resumable, with_prefix
from train.learner.contract import refusal
from train.policies.lookahead import LookaheadPolicy, ValueNetworks
from train.storage.formats import share_used

# The weight of the trained weights in the last least-squares fit, in mean squares of a feature.
RIDGE = 1e-6
REFITTED_AT_A_TIME = 8192
# The fraction of a budget of CPU seconds that is planned; the rest is for the end of the last layer.
PLANNED = 0.99


class Layer(NamedTuple):
    """Some states with the same number of moves left.

    Attributes:
        moves_left: The number of moves left, at most.
        situations: Both players' views of the states.
        share: The layer's part of the budget that is left when it begins, a fraction.
    """

    moves_left: int
    situations: Views
    share: float


class Learner(Resumable):
    """Fitted value iteration on one game; steps are updates of networks."""

    _args: Args

    def __init__(self, game: Game[Any], args: Args, seed: int) -> None:
        super().__init__(game, args)
        self._require_few_actions("fitted value iteration tries every joint action")
        self._lookahead, self._moves_left = Lookahead(game), MovesLeft(game)
        try:
            self._moves_left(self._starts())
        except ValueError as error:
            raise refusal(error) from None
        self._seed = seed
        self._tried = 0  # joint actions
        self._networks = ValueNetworks(game, args.width, args.layers)
        self._watch = Stopwatch()  # since the start of `advance`
        self._plan: list[Layer] | None = None  # the layers in the order in which they are learned, once they are listed
        self._finished = self._updates = 0  # layers that are finished, and updates of the layer that is learned now
        self._span = (0.0, 1.0)  # the shares of the budget that are used when that layer begins and when it ends
        self._lessons: tuple[Tensor, Tensor] | None = None  # observations and values of the layer that is learned now
        self._optimizers: dict[str, torch.optim.Optimizer] = {}  # of this layer
        self.parts = {"networks": self._networks}

    def advance(self, steps: int) -> dict[str, float]:
        """Trains until `steps`; returns the mean squared error of values, in payoff points squared."""
        self._watch, losses, layers = Stopwatch(), list[float](), self._layers()
        while self.steps < steps and self._finished < len(layers):
            layer = layers[self._finished]
            losses.append(self._update(layer))
            self.steps += 1
            self._updates += 1
            if self._used() >= self._span[1]:
                self._refit(layer)
                self._finished, self._updates = self._finished + 1, 0
                self._optimizers, self._lessons = {}, None
        if self._finished == len(layers):
            if self._args.cpu_seconds:
                self.spent = self._args.cpu_seconds  # all, as what is left is too little to learn anything
            else:
                self.steps = max(self.steps, steps)
        return {"value_loss": float(np.mean(losses)) if losses else 0.0}

    def figures(self) -> dict[str, float]:
        """Returns the number of joint actions that were tried."""
        return {"joint_actions": float(self._tried)}

    def _used(self) -> float:
        """Returns the share of the budget that is used."""
        seconds = (self.spent + self._watch.cpu_seconds) / PLANNED
        return share_used(vars(self._args), self.steps, seconds)

    def policy(self) -> LookaheadPolicy:
        return LookaheadPolicy(self._game, deepcopy(self._networks))

    def _starts(self) -> NDArray[np.float32]:
        """Returns player 0's observations at the starts of the game, `[starts, observation_size]`."""
        return np.stack([self._game.observation(start.state, 0) for start in self._game.initial()])

    def _layers(self) -> list[Layer]:
        """Lists the layers and plans their shares; the first layer of the game has none, as no move leads to it."""
        if self._plan is None:
            lower = dict(sorted(self._states().items())[:-1])
            lower = {number: some for number, each in lower.items() if len((some := self._unlike(each)).masks)}
            sizes = np.array([len(situations.masks) ** 0.5 for situations in lower.values()])
            shares = (sizes / np.cumsum(sizes[::-1])[::-1]).tolist()
            self._plan = [Layer(*each, share) for each, share in zip(lower.items(), shares, strict=True)]
        return self._plan

    def _states(self) -> dict[int, Views]:
        """Samples states by the number of moves left, from the starts of the game to its last moves."""
        rng = np.random.default_rng([self._seed, 1])
        found: dict[int, list[Views]] = defaultdict(list)
        sampled: dict[int, Views] = {}
        self._file(self._lookahead.views(self._starts()), found)
        while found:
            number = max(found)
            sampled[number] = situations = self._sample(found.pop(number), rng)
            if self.steps == 0:  # else a learner that goes on lists states again
                self._tried += joint_actions(situations)
            for tried, _ in self._lookahead.branches(situations):
                goes_on = ~tried.done
                self._file(Views(tried.after, tried.masks_after).of(goes_on), found)
        return sampled

    def _file(self, views: Views, found: dict[int, list[Views]]) -> None:
        """Adds the distinct states among `views` to those found with the same number of moves left."""
        some = self._distinct(views)
        moves_left = self._moves_left(some.observations[:, 0])
        for number in np.unique(moves_left).tolist():
            lots = found[number]
            lots.append(some.of(moves_left == number))
            while len(lots) > 1 and 2 * len(lots[-1].masks) > len(lots[-2].masks):  # so that few wait twice
                lots[-2:] = [self._together(lots[-2:])]

    def _sample(self, found: list[Views], rng: np.random.Generator) -> Views:
        """Draws up to `num_states` distinct states."""
        some = self._together(found)
        drawn = rng.permutation(len(some.masks))[: self._args.num_states]
        return some.of(drawn)

    def _together(self, lots: list[Views]) -> Views:
        observations, masks = zip(*lots, strict=True)
        return self._distinct(Views(np.concatenate(observations), np.concatenate(masks)))

    def _distinct(self, views: Views) -> Views:
        different, _ = distinct(value_views(self._game, views.observations)[0])
        return views.of(different)

    def _unlike(self, views: Views) -> Views:
        """Drops the states that both players see alike, whose value is 0."""
        _, signs = value_views(self._game, views.observations)
        return views.of(signs != 0)

    def _begin(self, layer: Layer) -> tuple[Tensor, Tensor]:
        """Prepares to learn a layer; returns observations `[states, observation_size]` and their values `[states]`."""
        views, signs = value_views(self._game, layer.situations.observations)
        values = (signs * self._values(layer.situations)).astype(np.float32)
        if self._updates == 0:
            self._tried += joint_actions(layer.situations)
            before = [*self._networks.values()][-1:]
            network = self._networks.add(layer.moves_left, like=before[0] if before else None)
            self._optimizers, used = optimizers(network), self._used()
            self._span = used, 1.0 - (1.0 - used) * (1.0 - layer.share)
        return torch.from_numpy(views), torch.from_numpy(values)

    def _values(self, situations: Views) -> NDArray[np.float64]:
        """Returns `[states]` values to player 0, after Shapley's backup."""
        known = StateValues(self._game, self._networks)
        lots = [self._lookahead.payoffs(*tried, known) for tried in self._lookahead.branches(situations)]
        rows, columns = (choices(situations.masks[:, player]) for player in (0, 1))
        return solve_matrices(np.concatenate(lots), rows, columns, 1).values

    def _update(self, layer: Layer) -> float:
        """Fits the layer's network to a batch; the order of the states is drawn anew for each pass."""
        if self._lessons is None:
            self._lessons = self._begin(layer)
        (views, values), (begin, end) = self._lessons, self._span
        share = min(1.0, (self._used() - begin) / (end - begin)) if begin < end else 1.0
        fallen = (1.0 - self._args.final_rate) * share
        pass_, batch = divmod(self._updates, -(-len(values) // self._args.batch_size))
        order = shuffled(self._seed, layer.moves_left, pass_, len(values))
        some = torch.from_numpy(order[batch * self._args.batch_size :][: self._args.batch_size])
        network = self._networks[str(layer.moves_left)]
        loss = self._misses(network(views[some])[:, 0], values[some]).square().mean()
        network.zero_grad()
        loss.backward()
        for optimizer in self._optimizers.values():
            optimizer.param_groups[0]["lr"] = self._args.learning_rate * (1.0 - fallen)
            optimizer.step()
        return loss.item()

    @torch.no_grad()
    def _refit(self, layer: Layer) -> None:
        """Solves for the weights of the last linear map by least squares."""
        assert self._lessons is not None
        *hidden, last = self._networks[str(layer.moves_left)].children()
        assert isinstance(last, torch.nn.Linear)
        size = last.in_features + 1
        gram, slope = torch.zeros(size, size, dtype=torch.float64), torch.zeros(size, dtype=torch.float64)
        for views, values in zip(*(each.split(REFITTED_AT_A_TIME) for each in self._lessons), strict=True):
            units = torch.nn.Sequential(*hidden)(views)
            misses = self._misses(last(units)[:, 0], values).double()
            features = torch.nn.functional.pad(units, (0, 1), value=1.0).double()
            gram += features.T @ features
            slope += features.T @ misses
        gram.diagonal().add_(RIDGE * gram.trace() / size)  # towards the trained weights
        change = torch.linalg.solve(gram, slope)
        last.weight.sub_(change[:-1])
        last.bias.sub_(change[-1])

    def _misses(self, outputs: Tensor, values: Tensor) -> Tensor:
        """Returns errors; none where the value is a bound of payoffs and the output beyond it: it will be clipped."""
        low, high = self._game.facts.min_payoff, self._game.facts.max_payoff
        right = ((values <= low) & (outputs < low)) | ((values >= high) & (outputs > high))
        return (outputs - values).masked_fill(right, 0.0)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        self.parts = {"networks": self._networks, **self._optimizers}
        tensors, data = super().state()
        own = {"seed": self._seed, "joint_actions": self._tried, "span": [*self._span]}
        return tensors, data | own | {"finished": self._finished, "updates": self._updates}

    def restore(self, tensors: Mapping[str, Tensor], data: Mapping[str, Any]) -> None:
        self._seed, self._tried, self._span = data["seed"], data["joint_actions"], tuple(data["span"])
        self._finished, self._updates = data["finished"], data["updates"]
        self._networks = ValueNetworks(self._game, self._args.width, self._args.layers)
        for number in sorted({int(name.partition(".")[0]) for name in with_prefix(tensors, "networks.")}):
            network = self._networks.add(number, like=None)
        self._plan, self._lessons = None, None
        self._optimizers = optimizers(network) if self._updates else {}
        self.parts = {"networks": self._networks, **self._optimizers}
        super().restore(tensors, data)


@lru_cache(maxsize=1)  # most updates are in the same pass as the one before
def shuffled(seed: int, moves_left: int, pass_: int, count: int) -> NDArray[np.int64]:
    """Returns the order of a layer's states in a pass, `[count]`."""
    return np.random.default_rng([seed, 2, moves_left, pass_]).permutation(count)


def joint_actions(situations: Views) -> int:
    """Returns the number of all joint actions at these states."""
    counts = [choices(situations.masks[:, player]).sum(axis=1, dtype=np.int64) for player in (0, 1)]
    return int(counts[0] @ counts[1])
