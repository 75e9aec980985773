"""The games; `by_name` has the one list of them."""

from cardwar_envs.games.by_name import GAMES, game_class, make_game

__all__ = ["GAMES", "game_class", "make_game"]
