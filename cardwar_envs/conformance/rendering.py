"""Checks that rendering raises no errors, and that rendering and reading public data have no side effects."""

from __future__ import annotations

from cardwar_envs.conformance.compare import require_same, require_same_play
from cardwar_envs.conformance.declared import modes_of, require_modes
from cardwar_envs.conformance.explore import Watch, step, watcher
from cardwar_envs.conformance.look import drawn, public
from cardwar_envs.conformance.play import Play
from cardwar_envs.conformance.seeds import in_step, require_same_next_game, steady_apis
from cardwar_envs.conformance.subject import Subject

SHARE = 0.01


def rendering_changes_nothing(subject: Subject) -> None:
    """Rendering after every step changes neither the episode nor later games.

    For example, if observations are cropped from the picture, agents see nothing until the game is rendered.

    Example: `render()` draws positions with the game's generator, or updates the picture that `observe` crops.
    Fix: Draw decorations from another generator; compute observations from the game's state.
    """
    modes = require_modes(subject)
    for api in steady_apis(subject):
        for mode in modes:
            for seed in subject.time(SHARE):
                plain = api.game(seed)
                watched = api.game(seed, render_mode=mode)
                for _ in in_step(plain, watched):
                    drawn(watched.env)
                what = f"{plain.where}: without render_mode, and with {mode!r}"
                require_same_play(plain.log, watched.log, what)
                require_same_next_game(subject, api, (plain, watched), f"{what}: the game after it")
                if seed == 2:
                    break


def looking_changes_nothing(subject: Subject) -> None:
    """Reading state(), texts, public attributes, spaces and observations changes neither the episode nor later games.

    In particular, it draws no random numbers.

    Loggers and debuggers read such data, and a run must not depend on them.

    Example: `state()` returns `np.array(self.deck.sort())` or draws noise.
    Fix: Compute what is returned from copies: `sorted(self.deck)`.
    """
    for api in steady_apis(subject):
        for seed in range(3):
            blind, plain, looked = (api.game(seed) for _ in range(3))
            for _ in in_step(plain, looked):
                for _ in range(2):
                    public(looked.env)
                    looked.seen()
                    looked.shown()
            blind.replay(plain.played)
            require_same_play(plain.log, looked.log, f"{plain.where}: without and with reading public data")
            require_same(plain.log[-1], blind.seen(), f"{plain.where}: with and without reading observations")
            what = f"{plain.where}: the next game, without and with reading"
            require_same_next_game(subject, api, (blind, plain, looked), what)


@watcher("AEC", "Parallel", first=require_modes)
def every_situation_can_be_drawn(play: Play, subject: Subject) -> Watch:
    """render() raises no error in any situation.

    A recorder must be able to draw every situation, including the last.

    Example: `render()` looks up `self.hands[self.agent_selection]` after the last agent has left.
    Fix: Draw from `possible_agents`, and handle the end.
    """
    while getattr(play.env, "render_mode", None) in modes_of(subject):
        drawn(play.env)
        yield from step()
