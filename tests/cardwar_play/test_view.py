"""Finding a move among thousands by its name."""

from thinning import each_row

from cardwar_envs import make_game
from cardwar_play.view import Choices, choices_in

WAR = make_game("war")
AT_WAR = WAR.transitions(WAR.initial()[0].state, {0: 11, 1: 11})[0].state
MANY = Choices(WAR, 0, WAR.legal_actions(AT_WAR, 0))  # in a war with the full hand but one card
EQUAL = Choices(make_game("war", ranks=3, discards=2), 0, range(3, 15))


def test_a_move_is_named_as_the_game_names_it():
    choices = Choices(WAR, 0, range(12))
    found = {text: choices.named(text) for text in ("13", " 2 ", "1", "14", "", "#1", "two")}
    assert found == {"13": 11, " 2 ": 0} | dict.fromkeys(("1", "14", "", "#1", "two"))
    assert Choices(make_game("dice_poker"), 0, (0, 1)).named("RAISE") == 1, "capitals do not matter"


@each_row(
    ("choices", "text", "found"),
    [
        (MANY, "2 3 4 9", ["discards 2 3 4 and battles with 9"]),
        (MANY, "DISC 2 3 4 with 9", ["discards 2 3 4 and battles with 9"]),
        (MANY, "9 4", [name for name in MANY.names.values() if " 9 " in name and name.endswith("with 4")]),
        (MANY, "", list(MANY.names.values())),
        (MANY, "13", []),
        (EQUAL, "2 with 3", [f"discards {cards} and battles with 3" for cards in ("2x2", "2 3", "2 4")]),
        (EQUAL, "2x2 with 3", ["discards 2x2 and battles with 3"]),
    ],
)
def test_words_in_order_find_moves_and_a_number_finds_equal_cards(choices, text, found):
    assert [choices.names[action] for action in choices.matching(text)] == found


def test_a_war_is_picked_in_two_steps_and_what_is_not_told_apart_as_a_whole(monkeypatch):
    listed = choices_in(WAR, 0, list(MANY.names))
    action, ((discards, places), (battle, last)) = listed["actions"][5]
    assert [listed["steps"][step] for step in (discards, battle)] == ["discards", "battle card"]
    picked = tuple(int(listed["items"][place]) for place in places), int(listed["items"][last[0]])
    assert WAR.actions.decode(action) == picked
    monkeypatch.setattr(type(WAR), "picks", lambda game, action, player: (("cards", ("one",)),))
    assert len(choices_in(WAR, 0, list(MANY.names))["items"]) == len(MANY.names) > 1000
