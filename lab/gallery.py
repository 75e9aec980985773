"""Draws the games' pictures for the documents: `python -m lab.gallery` writes them to `docs/pictures/`."""

from __future__ import annotations

from pathlib import Path

from baselines.system.files import write_atomically
from cardwar_envs import Scene, make_game, play_episode, to_svg

FOLDER = Path("docs/pictures")
# File -> the game, its parameters, the policies, the seed, the number of moves made, and the viewer.
SHOWN: dict[str, tuple[str, dict[str, int], tuple[str, ...], int, int, int | None]] = {
    "jujitsu": ("jujitsu", {"num_cards": 5}, ("uniform", "uniform"), 1, 3, 0),
    "dice-wars": ("dice_wars", {}, ("uniform", "uniform"), 2, 4, None),
    "dice-poker": ("dice_poker", {}, ("uniform", "uniform"), 5, 0, 1),
    "dinosaur-war": ("dinosaur_war", {"num_cards": 6}, ("uniform", "uniform"), 3, 3, None),
    "goofspiel": ("goofspiel", {"num_cards": 7}, ("uniform", "matching"), 1, 3, 0),
    "oshi-zumo": ("oshi_zumo", {"coins": 20}, ("uniform", "uniform"), 4, 1, None),
    "lowest-unique": ("lowest_unique", {"rounds": 3}, ("uniform", "uniform", "uniform"), 2, 1, None),
    "war": ("war", {"num_players": 3}, ("simple_minded_1", "max", "dummie"), 0, 2, 2),
}


def picture(name: str) -> Scene:
    """Returns the scene for one file."""
    game_name, parameters, policies, seed, moves, viewer = SHOWN[name]
    game = make_game(game_name, **parameters)
    return game.scene(play_episode(game, policies, seed).revealed(game, viewer)[moves])


def main() -> None:
    """Writes all pictures."""
    for name in SHOWN:
        write_atomically(FOLDER / f"{name}.svg", to_svg(picture(name)).encode())


if __name__ == "__main__":
    main()
