"""One-shot games given by their payoffs: from arrays, from files (`table:FILE`) and from objects of other libraries."""

from cardwar_envs.tables.game import TableGame, TableState, table_game
from cardwar_envs.tables.table import Table

__all__ = ["Table", "TableGame", "TableState", "table_game"]
