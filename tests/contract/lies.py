"""How the wrong games are made: each from a right game, with one lie, by the check that must find it.

A class that overrides a rule loses the claims about it, so the lie stays alone.
"""

from bidding import Bidding, Bids

WRONG = {}  # what is wrong -> (the check that must find it, the game)
START = Bids(((0, 1, 2), (0, 1, 2)), 2)
MIDDLE = (Bids(((0, 1), (1, 2)), 2), Bids(((1, 2), (0, 1)), 2))  # seen from either seat


def wrong(check, what, **parameters):
    """Registers a class of wrong games."""

    def register(kind):
        WRONG[what] = (check, kind(**parameters))
        return kind

    return register


def lies(check, table, base=Bidding, **parameters):
    """Registers subclasses of `base`, with their parameters; of shipped games all claims are kept.

    Args:
        check: The check that must find each of them.
        table: What is wrong -> the attributes of the subclass.
        base: The right game.
        **parameters: Of the games.
    """
    for what, attributes in table.items():
        title = "".join(word.capitalize() for word in what.split())
        # Under its name in this module, so that it can be pickled.
        kind = type(title, (base,), {**attributes, "__module__": __name__}, keeps_claims=base is not Bidding)
        globals()[title] = kind
        wrong(check, what, **parameters)(kind)


def in_the_middle(change):
    """Transitions that are changed in the middle of the game."""

    def transitions(self, state, actions):
        found = Bidding.transitions(self, state, actions)
        return change(found) if state in MIDDLE else found

    return {"transitions": transitions}


def with_prize(state, prize):
    """The state with another prize."""
    return state._replace(prize=prize)
