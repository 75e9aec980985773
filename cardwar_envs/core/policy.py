"""The policy protocol, named policies, and checks of the probabilities that a policy returns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from inspect import getdoc, signature
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cardwar_envs.core.arrays import Masks, Observations, Probabilities
from cardwar_envs.core.game import Game, require_game
from cardwar_envs.core.installed import POLICY_GROUP, installed
from cardwar_envs.core.parameters import did_you_mean

# Alternative names.
ALIASES = {"random": "uniform"}
# Single-precision probabilities, such as a network's softmax, sum to one within about this tolerance.
SUM_TOLERANCE = 1e-5
ILLEGAL_TOLERANCE = 1e-9

F = TypeVar("F", bound=Callable[..., Any])


class IllegalProbabilityError(ValueError):
    """A policy gives positive probability to an illegal action."""


@runtime_checkable
class Policy(Protocol):
    """A behaviour strategy; it sees observations and action masks, never a state."""

    def action_probabilities(self, observations: Observations, action_masks: Masks) -> Probabilities:
        """Returns the probability of each action.

        Args:
            observations: `[batch, observation_size]` float32.
            action_masks: `[batch, num_actions]` int8, 1 where an action is legal.

        Returns:
            `[batch, num_actions]` float64; every row sums to one and is 0 for illegal actions.
        """
        ...


def name_of(policy: Policy) -> str:
    """Returns a policy's class name, for messages; a wrapper with `stands_for` has the name of the wrapped policy."""
    return _class_of(policy).__name__


def word_for(policy: Policy) -> str:
    """Returns the name under which a policy's class is installed, which users type; else its class name."""
    kind = _class_of(policy)
    place = f"{kind.__module__}:{kind.__qualname__}"
    return next((name for name, point in installed(POLICY_GROUP).items() if point.value == place), kind.__name__)


def _class_of(policy: Policy) -> type:
    while hasattr(policy, "stands_for"):
        policy = policy.stands_for
    return type(policy)


def checked_probabilities(policy: Policy, observations: Observations, action_masks: Masks) -> Probabilities:
    """Queries a policy, checks that it returns a behaviour strategy as `Policy` specifies, and normalises each row.

    Raises:
        ValueError: If the result is not an array of real numbers of that shape, has a negative or non-finite entry,
            gives probability to an illegal action (an IllegalProbabilityError), or has a row that does not sum to one.
    """
    name, answer = _answer(policy, observations, action_masks)
    legal_part = np.where(action_masks == 0, 0.0, answer)
    sums, legal_sums = _row_sums(answer), _row_sums(legal_part)
    least = answer.min(initial=0.0)
    # If nothing is negative and the sums agree, illegal actions have no weight. Otherwise check each entry.
    if not (least >= 0.0 and np.isfinite(sums).all() and np.array_equal(sums, legal_sums)):
        _check_signs(name, answer)
        _check_legal(name, answer, action_masks)
        np.maximum(legal_part, 0.0, out=legal_part)
        legal_sums = _row_sums(legal_part)
    _check_sums(name, sums)
    legal_part /= legal_sums[:, None]
    return legal_part


def renormalised_probabilities(
    policy: Policy, observations: Observations, action_masks: Masks
) -> tuple[Probabilities, NDArray[np.float64]]:
    """Like `checked_probabilities`, but conditions on legal actions; also returns the removed probability, `[batch]`.

    Raises:
        ValueError: As for `checked_probabilities`, except that illegal actions may have probability as long as each row
            gives some to legal actions.
    """
    name, answer = _answer(policy, observations, action_masks)
    _check_signs(name, answer)
    answer = np.maximum(answer, 0.0)
    sums = _row_sums(answer)
    _check_sums(name, sums)
    removed = _row_sums(np.where(action_masks == 0, answer, 0.0)) / sums
    legal_part = np.where(action_masks == 0, 0.0, answer)
    left = _row_sums(legal_part)
    if (left <= ILLEGAL_TOLERANCE).any():
        legal = np.flatnonzero(action_masks[left.argmin()]).tolist()
        raise IllegalProbabilityError(
            f"policy {name}: all probability is on illegal actions; legal actions are {legal}"
        )
    return legal_part / left[:, None], removed


def _answer(policy: Policy, observations: Observations, action_masks: Masks) -> tuple[str, NDArray[np.float64]]:
    """Queries the policy; returns its name, and its probabilities as an array of the shape of `action_masks`."""
    name = name_of(policy)
    # Copies, because a policy may modify its arguments.
    answer: Any = policy.action_probabilities(observations.copy(), action_masks.copy())
    try:
        array = np.asarray(answer)
    except (TypeError, ValueError, RuntimeError) as error:  # torch raises a RuntimeError
        raise ValueError(f"policy {name}: probabilities must be an array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise ValueError(f"policy {name}: probabilities must be real numbers, not of type {array.dtype}")
    if array.shape != action_masks.shape:
        raise ValueError(f"policy {name}: probabilities have shape {array.shape}, not {action_masks.shape}")
    return name, array.astype(np.float64, copy=False)


def _row_sums(answer: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", invalid="ignore"):  # non-finite sums are rejected later
        sums: NDArray[np.float64] = answer.sum(axis=1)
    return sums


def _check_sums(name: str, sums: NDArray[np.float64]) -> None:
    if not (np.abs(sums - 1.0) <= SUM_TOLERANCE).all():
        worst = sums[np.abs(sums - 1.0).argmax()]
        raise ValueError(f"policy {name}: probabilities sum to {worst:.6g}, not to 1 (within {SUM_TOLERANCE:g})")


def _check_signs(name: str, answer: NDArray[np.float64]) -> None:
    if not np.isfinite(answer).all():
        raise ValueError(f"policy {name}: probabilities must be finite")
    if answer.min(initial=0.0) < -ILLEGAL_TOLERANCE:
        raise ValueError(f"policy {name}: probability {answer.min():.6g} is negative")


def _check_legal(name: str, answer: NDArray[np.float64], action_masks: NDArray[np.int8]) -> None:
    illegal = np.where(action_masks == 0, answer, 0.0)
    if illegal.max(initial=0.0) > ILLEGAL_TOLERANCE:
        row, action = np.unravel_index(int(illegal.argmax()), illegal.shape)
        legal = np.flatnonzero(action_masks[row]).tolist()
        raise IllegalProbabilityError(
            f"policy {name}: probability {illegal[row, action]:.6g} on illegal action {action}; "
            f"legal actions are {legal}"
        )


def sample_actions(weights: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Draws one action per row: weights `[batch, num_actions]` (any positive sums) -> `[batch]`."""
    cumulative = weights.cumsum(axis=1)
    total = cumulative[:, -1:]
    draws = rng.random((len(weights), 1)) * total
    # The second condition ensures that a draw that rounds up to the total selects an action of positive weight.
    actions: NDArray[np.int64] = ((cumulative <= draws) & (cumulative < total)).sum(axis=1)
    return actions


def policy_names() -> list[str]:
    """Returns the names that `named_policy` accepts, sorted, without aliases."""
    return sorted(installed(POLICY_GROUP))


def policy_summary(name: str) -> str:
    """Returns the first line of the documentation of the policy of that name."""
    return (getdoc(_factory(name)) or "").partition("\n")[0]


def names_a_policy(word: str) -> bool:
    """Returns whether `named_policy` accepts this name, which can have a suffix after a colon."""
    return _entry(word) in installed(POLICY_GROUP)


def names_for(game: Game[Any]) -> list[str]:
    """Returns all names, including aliases, of policies that can play a game, sorted; builds no expensive policies."""
    fitting = [name for name in policy_names() if _fits(name, game)]
    aliases = [alias for alias, name in ALIASES.items() if name in fitting]
    endings = {name: getattr(_factory(name), "endings", lambda _: [""])(game) for name in fitting}
    return sorted(aliases + [name + ending for name in fitting for ending in endings[name]])


def plays(
    fits: Callable[[Game[Any]], bool], endings: Callable[[Game[Any]], list[str]] = lambda game: [""]
) -> Callable[[F], F]:
    """Decorates a policy factory with `fits`, a quick test of whether its policies can play a game.

    Decorate factories that are slow or have further required arguments; other factories are tested by calling them.
    `endings` gives the suffixes of the policy's name for a game, such as `[":1", ":2"]`, for errors that list names.
    """

    def decorated(factory: F) -> F:
        marked: Any = factory
        marked.fits, marked.endings = fits, endings
        return factory

    return decorated


def _fits(name: str, game: Game[Any]) -> bool:
    factory = _factory(name)
    fits: Callable[[Game[Any]], bool] | None = getattr(factory, "fits", None)
    if fits is not None:
        return fits(game)
    try:
        factory(game)
    except Exception:  # third-party code, called only for the text of an error
        return False
    return True


def _entry(name: str) -> str:
    """Returns the entry point behind a policy's name, without the suffix after a colon."""
    entry = name.partition(":")[0]
    return entry if entry in installed(POLICY_GROUP) else ALIASES.get(entry, entry)


def _factory(name: str) -> Callable[..., Policy]:
    factory: Callable[..., Policy] = installed(POLICY_GROUP)[_entry(name)].load()
    return factory


def named_policy(name: str, game: Game[Any], **arguments: Any) -> Policy:
    """Makes the policy of that name for `game`, from the entry-point group `cardwar_envs.policies`.

    Each entry is a callable that takes the game and optional keyword arguments. If the name has a suffix after a colon,
    as in `equilibrium:max_entropy`, the suffix is passed as the second argument.

    Raises:
        ValueError: If there is no such policy, or it cannot play the game.
    """
    require_game(game)
    if not isinstance(name, str):
        raise ValueError(f"name ({name!r}) must be the name of a policy, such as 'uniform'")
    if not names_a_policy(name):
        stored = "; train.policies.files.load_policy reads files and run folders" if os.path.exists(name) else ""
        raise ValueError(f"unknown policy {name!r}{did_you_mean(name, names_for(game))}; {_choice(game)}{stored}")
    entry, colon, rest = name.partition(":")
    factory = _factory(name)
    suffix = [rest] if colon else []
    if colon:
        try:
            signature(factory).bind(game, rest, **arguments)
        except TypeError:
            raise ValueError(f"policy {entry!r} takes no suffix after a colon, but was given as {name!r}") from None
    try:
        return factory(game, *suffix, **arguments)
    except ValueError as error:
        if _fits(name, game):
            raise
        raise ValueError(f"{error}; {_choice(game)}") from error


def _choice(game: Game[Any]) -> str:
    return f"policies for {game.facts.name} are {', '.join(names_for(game))}"


def as_policy(policy: str | Policy, game: Game[Any]) -> Policy:
    """Returns a policy object, given a policy or its name.

    Raises:
        ValueError: If it is neither a policy nor the name of one.
    """
    if isinstance(policy, str):
        return named_policy(policy, game)
    if isinstance(policy, type) or not isinstance(policy, Policy):  # a class has the method too
        raise ValueError(f"policy ({policy!r}) must be a name or have a method action_probabilities{_remedy(policy)}")
    if not _takes_batches(policy):
        raise ValueError(
            f"policy {name_of(policy)} must have a method action_probabilities(observations, action_masks), which "
            "takes arrays; OpenSpiel's method of that name takes a state: wrap the policy in a class with such a method"
        )
    return policy


def _takes_batches(policy: Policy) -> bool:
    """Returns whether the method takes observations and masks, and not a state and `player_id` as OpenSpiel's does."""
    if type(policy).__module__ == "pyspiel":  # compiled, so without a signature
        return False
    try:
        taken = signature(policy.action_probabilities)
        taken.bind(None, None)
    except TypeError:
        return False
    except ValueError:  # another compiled method
        return True
    return "player_id" not in taken.parameters


def _remedy(policy: Any) -> str:
    if isinstance(policy, type):
        return "; pass an instance, not the class"
    if hasattr(policy, "predict"):
        return "; cardwar_envs.sb3.from_sb3(model) makes a policy from a model"
    return "; wrap the function in a class with that method" if callable(policy) else ""


def needs_others(policy: Policy | str) -> bool:
    """Returns whether this is the name of a policy that depends on the policies in the other seats.

    The factory of such a policy has a keyword `others`. Returns False for unknown names.
    """
    return isinstance(policy, str) and names_a_policy(policy) and "others" in signature(_factory(policy)).parameters


def seated_policies(policies: Sequence[Policy | str], game: Game[Any]) -> list[Policy]:
    """Returns a policy object per seat, from policies or names in seat order; seats with the same name share an object.

    A policy that depends on the others receives them as `others`, in seat order starting with the next seat.

    Raises:
        ValueError: If the number of policies is wrong, an entry is neither a policy nor the name of one, or two
            policies each depend on the other.
    """
    if not isinstance(policies, Sequence) or isinstance(policies, str):
        raise _without_order(policies)
    if len(policies) != game.facts.num_players:
        raise ValueError(f"{len(policies)} policies given for {game.facts.num_players} players")
    seated: list[Any] = list(policies)
    told = [seat for seat, policy in enumerate(policies) if needs_others(policy)]
    if len(told) > 1:
        names = " and ".join(str(policies[seat]) for seat in told)
        raise ValueError(f"{names}: only one policy may depend on the others")
    named = cache(lambda name: named_policy(name, game))
    for seat, policy in enumerate(policies):
        if seat not in told:
            seated[seat] = named(policy) if isinstance(policy, str) else as_policy(policy, game)
    for seat in told:
        seated[seat] = named_policy(str(policies[seat]), game, others=[*seated[seat + 1 :], *seated[:seat]])
    return seated


def as_policies(policy: Any, game: Game[Any]) -> list[Policy]:
    """Returns one policy per seat, from one policy for all seats or a sequence of them.

    Raises:
        ValueError: If the number of policies differs from the number of players, or the collection is unordered.
    """
    if isinstance(policy, Iterable) and not isinstance(policy, (str, Policy)):
        if isinstance(policy, Set | Mapping):
            raise _without_order(policy)
        return seated_policies(list(policy), game)
    return [as_policy(policy, game)] * game.facts.num_players


def _without_order(policies: object) -> ValueError:
    return ValueError(f"policies ({policies!r}) must be a list or tuple in the order of the seats")
