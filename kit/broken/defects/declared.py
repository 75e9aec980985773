"""What is declared and offered: metadata, drawings, closing, the lists of agents."""

import numpy as np

from broken.bases import Bidding, Lowest, Pennies
from broken.catalogue import Kind, Skins, broken
from broken.playing import rounds
from broken.unusual.games_of_all_kinds import SittingOut
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


@broken(DECLARED, BOTH, not_declared, Bidding)
def ParallelizableForgotten(self, prepare):
    """The metadata does not say `is_parallelizable`, although all commit in every round and a Parallel is offered."""
    del self.metadata["is_parallelizable"]


@broken(DECLARED, BOTH, not_declared, Lowest)
def ParallelizableDenied(self, prepare):
    """The metadata denies that the game is parallelizable."""
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


@broken(DECLARED, AEC, converter_fails, SittingOut)
def ParallelizableWrong(self, prepare):
    """The metadata says parallelizable, but whoever won a round sits out the next."""


@broken(DECLARED, BOTH, lambda make: not make().metadata, Pennies)
def NoMetadata(self, prepare):
    """The metadata is empty."""
    self.metadata = {}


@broken(DECLARED, AEC, lacks("name"), Bidding)
def NoName(self, prepare):
    """The metadata has no name."""
    del self.metadata["name"]


@broken(DECLARED, BOTH, lacks("render_modes"), Lowest)
def OldKeyForModes(self, prepare):
    """The metadata has the modes under `render.modes`, as they were called before 2022."""
    self.metadata["render.modes"] = self.metadata.pop("render_modes")


@broken(DECLARED, BOTH, renders("rgb_array"), Lowest)
def ModeNotDrawn(self, render):
    """`rgb_array` is declared, and raises NotImplementedError."""
    if self.render_mode == "rgb_array":
        raise NotImplementedError("later")
    return render()


def draws_nothing(make):
    env = make(render_mode="ansi")
    env.reset(seed=0)
    return not isinstance(env.render(), str)


@broken(DECLARED, BOTH, draws_nothing, Bidding)
def AnsiPrints(self, render):
    """The mode `ansi` prints the text and returns None."""
    print(render())


@broken(DECLARED, BOTH, renders("ansi"), Bidding)
def DrawingAfterTheEnd(self, render):
    """render() raises after the last round, because there is no prize."""
    return f"{render()} of {self._deck[self._round]}"


@broken(DECLARED, PARALLEL, raises(lambda env: env.close()), Pennies)
def ClosingRaises(self, close):
    """close() raises because there is no window."""
    self.window.close()


def closing_twice(env):
    env.reset(seed=0)
    env.close()
    env.close()


@broken(DECLARED, BOTH, raises(closing_twice))
class ClosingTwiceRaises(Lowest):
    """close() raises when it is called a second time."""

    def prepare(self):
        self._window = "a window"

    def close(self):
        del self._window


def picture_is_wrong(make):
    env = make(render_mode="rgb_array")
    env.reset(seed=0)
    frame = env.render()
    return frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 3


@broken(DECLARED, BOTH, picture_is_wrong, Lowest)
def PictureOfFloats(self, render):
    """The picture is of floats from 0 to 1."""
    frame = render()
    return frame if isinstance(frame, str) else frame / 255


@broken(DECLARED, AEC, picture_is_wrong, Lowest)
def PictureWithoutColours(self, render):
    """The picture has no axis of colours."""
    frame = render()
    return frame if isinstance(frame, str) else frame[..., 0]


def modes_unlike(make):
    """The mode that was asked for is not the one that the environment says it has."""
    return make(render_mode="ansi").render_mode != "ansi"


@broken(DECLARED, BOTH, modes_unlike, Pennies)
def ModeForgotten(self, prepare):
    """The constructor takes a render mode and forgets it."""
    self.render_mode = None
