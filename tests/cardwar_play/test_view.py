"""Finding a move among thousands by its name."""

from cardwar_envs import make_game
from cardwar_play.seating import table_for
from cardwar_play.trainer import Trainer
from cardwar_play.view import Choices, choices_in

WAR = make_game("war")


def names(choices, text):
    return [choices.names[action] for action in choices.matching(text)]


def test_cards_are_named_as_the_game_names_them():
    choices = Choices(WAR, 0, range(12))
    assert [choices.named(text) for text in ("13", " 2 ")] == [11, 0]
    assert [choices.named(text) for text in ("1", "14", "", "#1", "two")] == [None] * 5
    assert Choices(make_game("dice_poker"), 0, (0, 1)).named("RAISE") == 1, "capitals do not matter"


def test_words_in_order_find_one_of_thousands():
    state = WAR.transitions(WAR.initial()[0].state, {0: 11, 1: 11})[0].state
    war_choices = Choices(WAR, 0, WAR.legal_actions(state, 0))  # in a war with the full hand but one card
    assert len(war_choices.names) > 1000
    assert names(war_choices, "2 3 4 9") == ["discards 2 3 4 and battles with 9"]
    assert names(war_choices, "DISC 2 3 4 with 9") == ["discards 2 3 4 and battles with 9"]
    assert names(war_choices, "9 4") == [name for name in names(war_choices, "with 4") if " 9 " in name]
    assert len(names(war_choices, "")) == len(war_choices.names)
    assert names(war_choices, "13") == []


def test_a_number_also_finds_several_equal_cards():
    choices = Choices(make_game("war", ranks=3, discards=2), 0, range(3, 15))
    cards = ("2x2", "2 3", "2 4")
    assert names(choices, "2 with 3") == [f"discards {each} and battles with 3" for each in cards]
    assert names(choices, "2x2 with 3") == ["discards 2x2 and battles with 3"]


def test_a_war_is_picked_in_two_steps_and_what_is_not_told_apart_as_a_whole(monkeypatch):
    trainer = Trainer(table_for(WAR, 0, ["max"], None, "No costs."), 0)
    trainer.play(11)
    listed = choices_in(WAR, 0, trainer.choices)
    action, ((discards, places), (battle, last)) = listed["actions"][5]
    assert [listed["steps"][step] for step in (discards, battle)] == ["discards", "battle card"]
    picked = tuple(int(listed["items"][place]) for place in places), int(listed["items"][last[0]])
    assert WAR.actions.decode(action) == picked
    monkeypatch.setattr(type(WAR), "picks", lambda game, action, player: (("cards", ("one",)),))
    assert len(choices_in(WAR, 0, trainer.choices)["items"]) == len(trainer.choices)
