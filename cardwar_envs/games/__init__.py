"""The games; `by_name` lists all of them."""

from cardwar_envs.games.by_name import GAMES, game_class, make_game

__all__ = ["GAMES", "game_class", "make_game"]
