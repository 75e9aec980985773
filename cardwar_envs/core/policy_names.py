"""Policies by name, and one policy for each seat."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cache
from inspect import getdoc, signature
from typing import Any, TypeVar

from cardwar_envs.core.game import Game
from cardwar_envs.core.parameters import did_you_mean
from cardwar_envs.core.policy import Policy, name_of
from cardwar_envs.core.process import POLICY_GROUP, installed

# Alternative names.
ALIASES = {"random": "uniform"}

F = TypeVar("F", bound=Callable[..., Any])


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
            "takes arrays; cardwar_envs.openspiel.from_openspiel_policy converts policies of OpenSpiel"
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
