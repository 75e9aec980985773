"""A series of some length ends when whoever is behind cannot catch up."""

from thinning import each_row

from cardwar_play.series import Series


@each_row(
    ("results", "decided", "standing"),
    [
        ([], False, "Best of 5."),
        ([1.0], False, "You lead in the best of 5, 1 to 0."),
        ([1.0, -1.0, 0.0], False, "It is 1 to 1 after 3 of at most 5 games."),
        ([-1.0, -1.0], False, "You are behind in the best of 5, 0 to 2."),
        ([0.5, 0.5, 0.5], True, "You win the best of 5, 3 to 0."),
        ([-1.0, 0.0, 0.0, -1.0], True, "You lose the best of 5, 0 to 2."),
        ([-1.0, 1.0, 0.0, 0.0, 0.0], True, "You draw the best of 5, 1 to 1."),
    ],
)
def test_the_best_of_five(results, decided, standing):
    series = Series(table=None, length=5)
    series.results = results
    assert (series.decided, series.standing) == (decided, standing)
