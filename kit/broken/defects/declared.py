"""What is declared and offered: metadata, drawings, closing, the lists of agents."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.playing import rounds
from broken.registry import Kind, Skins, broken
from broken.witnesses import raises

DECLARED, BOTH, AEC, PARALLEL = Kind.DECLARED, Skins.BOTH, Skins.AEC, Skins.PARALLEL


def renders(mode):
    """Draws in each moment of a game, and after it."""

    def use(env):
        for _ in rounds(env):
            env.render()
        env.render()

    return raises(use, render_mode=mode)


def lacks(key):
    return lambda make: key not in make().metadata


def not_declared(make):
    """An AEC that asks every live agent in every cycle, beside a Parallel, does not say that it is parallelizable."""
    return not make().metadata.get("is_parallelizable")


@broken(DECLARED, BOTH, not_declared)
class ParallelizableForgotten(Bidding):
    """The metadata does not say `is_parallelizable`, although all commit in every round and a Parallel is offered."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        del self.metadata["is_parallelizable"]


@broken(DECLARED, BOTH, not_declared)
class ParallelizableDenied(Lowest):
    """The metadata denies that the game is parallelizable."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.metadata["is_parallelizable"] = False


def converter_fails(make):
    """PettingZoo's converter to Parallel cannot play an environment that says that it is parallelizable."""
    from pettingzoo.utils.conversions import aec_to_parallel

    env = aec_to_parallel(make())
    try:
        for seed in range(8):
            env.reset(seed=seed)
            while env.agents:
                env.step({agent: seed % 4 if agent == "ann" else (seed + 1) % 4 for agent in env.agents})
    except AssertionError:
        return True
    return False


@broken(DECLARED, AEC, converter_fails)
class ParallelizableWrong(Lowest):
    """The metadata says parallelizable, but whoever won a round sits out the next."""

    def deal(self):
        super().deal()
        self._resting = None

    def share(self, winner, agents):
        self._resting = winner
        return super().share(winner, self.agents)

    def announce(self):
        super().announce()
        playing = [agent for agent in self.agents if agent not in (self._resting, *self.out(), *self.cut())]
        if self.agent_selection == self._resting and playing:
            self.agent_selection = playing[0]

    def waiting(self):
        return [agent for agent in super().waiting() if agent != self._resting]


@broken(DECLARED, BOTH, lambda make: not make().metadata)
class NoMetadata(Pennies):
    """The metadata is empty."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.metadata = {}


@broken(DECLARED, AEC, lacks("name"))
class NoName(Bidding):
    """The metadata has no name."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        del self.metadata["name"]


@broken(DECLARED, BOTH, lacks("render_modes"))
class OldKeyForModes(Lowest):
    """The metadata has the modes under `render.modes`, as they were called before 2022."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.metadata["render.modes"] = self.metadata.pop("render_modes")


@broken(DECLARED, BOTH, renders("rgb_array"))
class ModeNotDrawn(Lowest):
    """`rgb_array` is declared, and raises NotImplementedError."""

    def render(self):
        if self.render_mode == "rgb_array":
            raise NotImplementedError("later")
        return super().render()


def draws_nothing(make):
    env = make(render_mode="ansi")
    env.reset(seed=0)
    return not isinstance(env.render(), str)


@broken(DECLARED, BOTH, draws_nothing)
class AnsiPrints(Bidding):
    """The mode `ansi` prints the text and returns None."""

    def render(self):
        print(super().render())


@broken(DECLARED, BOTH, renders("ansi"))
class DrawingAfterTheEnd(Bidding):
    """render() raises after the last round, because there is no prize."""

    def render(self):
        return f"{super().render()} of {self._deck[self._round]}"


@broken(DECLARED, PARALLEL, raises(lambda env: env.close()))
class ClosingRaises(Pennies):
    """close() raises because there is no window."""

    def close(self):
        self.window.close()


def closing_twice(env):
    env.reset(seed=0)
    env.close()
    env.close()


@broken(DECLARED, BOTH, raises(closing_twice))
class ClosingTwiceRaises(Lowest):
    """close() raises when it is called a second time."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._window = "a window"

    def close(self):
        del self._window


def picture_is_wrong(make):
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    frame = env.render()
    return frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3


@broken(DECLARED, BOTH, picture_is_wrong)
class PictureOfFloats(Lowest):
    """The picture is of floats from 0 to 1."""

    def render(self):
        frame = super().render()
        return frame if isinstance(frame, str) else frame / 255


@broken(DECLARED, AEC, picture_is_wrong)
class PictureWithoutColours(Lowest):
    """The picture has no axis of colours."""

    def render(self):
        frame = super().render()
        return frame if isinstance(frame, str) else frame[..., 0]


def modes_unlike(make):
    """The mode that was asked for is not the one that the environment says it has."""
    return make(render_mode="ansi").render_mode != "ansi"


@broken(DECLARED, BOTH, modes_unlike)
class ModeForgotten(Pennies):
    """The constructor takes a render mode and forgets it."""

    def __init__(self, render_mode=None):
        super().__init__(None)
