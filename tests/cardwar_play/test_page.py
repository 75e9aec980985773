"""The page in a real browser: by keyboard and by mouse, on a desk and on a phone."""

import hashlib
import re
import shutil
import threading

import numpy as np
import pytest
from hostile import Hostile

import baselines
from cardwar_envs import GAMES, make_game
from cardwar_envs.core.play import Episode
from cardwar_play import lobby
from cardwar_play.account import Account, Series, decimals, explained
from cardwar_play.host import Host, MoveRequest
from cardwar_play.judge import Judge
from cardwar_play.one_file import PAGES, Listing, page_with, places_of, solutions_page
from cardwar_play.seating import table_for
from cardwar_play.server import listening_at, make_app, new_server
from cardwar_play.view import Choices, worst_of
from train.text.printing import points

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
# Nothing but the page may reach for the network.
OFFLINE = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
TOKEN, SEED = "a-secret-token", 3
GLYPHS = {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}


@pytest.fixture(scope="module")
def tabs():
    """Two tabs of one browser."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(OFFLINE))
        context = browser.new_context()
        yield [context.new_page(), context.new_page()]
        browser.close()


@pytest.fixture
def host(request, solution):
    """Games of Jujitsu, or what the test's parameter makes."""
    return request.param() if hasattr(request, "param") else Host(table_for(solution.game, 0, [], solution), SEED, None)


@pytest.fixture
def address(host):
    with listening_at(0) as listening:
        port = listening.getsockname()[1]
        server = new_server(make_app(host, port, TOKEN))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield f"http://127.0.0.1:{port}/{TOKEN}/"
        server.should_exit = True
        thread.join()


@pytest.fixture
def open_page(tabs, address):
    """Opens the page at a width; afterwards nothing must have been asked of anybody else, and nothing gone wrong."""
    left, asked, wrong = list(tabs), [], []
    listeners = {
        "request": lambda request: asked.append(request.url),
        "pageerror": lambda error: wrong.append(str(error)),
        "console": lambda said: wrong.append(said.text) if not re.search("status of 40[09]", said.text) else None,
    }

    def opened(width):
        page = left.pop()
        page.set_viewport_size({"width": width, "height": 800})
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(address)
        expect(page.locator("#choosing:visible, #lobby:visible")).to_have_count(1)
        return page

    yield opened
    for page in set(tabs) - set(left):
        for event, listener in listeners.items():
            page.remove_listener(event, listener)
        page.goto("about:blank")
    assert wrong == []
    assert len(asked) > 5
    assert [url for url in asked if not url.startswith(address) and not url.startswith("data:")] == []


def by_keyboard(page, name):
    page.keyboard.type(name)
    expect(page.locator(".choice:focus")).to_have_attribute("data-name", name)
    page.keyboard.press("Enter")


def by_mouse(page, name):
    page.locator(".picture").get_by_role("button", name=name, exact=True).click()


def play(page, move, names, host):
    """Plays cards and compares everything on the page with the host's view, each time."""
    for name in names:
        number = host.trainer.number
        expect(page.locator("#number")).to_have_text(str(number))
        expect(page.locator("#worth-text")).to_be_hidden()
        expect(page.locator("#worth-text")).to_have_text(host.view()["worth"])
        shown = page.locator("#digest").text_content()
        move(page, name)
        expect(page.locator("#moves")).to_contain_text(f"You: {name}")
        expect(page.locator("#holds")).to_contain_text("✓")
        last, verdict = host.view()["last"], host.view()["last"]["verdict"]
        expect(page.get_by_role("status")).to_contain_text(last["outcome"])
        opened = page.locator("#opened-text").text_content()
        assert hashlib.sha256(opened.encode()).hexdigest() == shown
        assert opened.split()[1:3] == ["move", f"{number}:"]
        rows = page.locator("#mix tbody tr").all_inner_texts()
        expected = [[row[key] for key in ("name", "probability", "cost")] for row in verdict["rows"]]
        assert [re.split(r"\s+", row.replace("you", "").strip()) for row in rows] == expected
        assert page.locator("#sentence").inner_text() == verdict["sentence"]
        assert page.locator("#total").inner_text() == points(host.trainer.total, 3)


# Steps through the review by a key, and returns what the page tells of each position.
REVIEW = """() => [...view.review, null].map(() => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  return [
    $("moves").innerText, ...["outcome", "sentence", "why"].map((id) => $(id).textContent), $("scene").alt,
    new URL($("scene").src).searchParams.get("step"), document.querySelector("#review [aria-current]").textContent,
  ];
})"""


def check_the_end(page, host):
    """The result, the worst move, and every decision by the arrow keys."""
    view = host.view()
    assert page.locator("#ending").inner_text() == view["result"]
    assert page.locator("#sum").text_content() == view["ending"]
    assert page.locator("#worst").text_content() == worst_of(view["review"])[1]
    *steps, end = page.evaluate(REVIEW)
    assert end[-2:] == ["", "End"]
    for told, (moves, *texts, step, chip) in zip(view["review"], steps, strict=True):
        verdict = told["verdict"] or {"sentence": "", "why": "", "grade": ""}
        assert moves.split("\n") == [
            " · ".join(map(": ".join, each)) for each in [told["moves"], *told["later"]] if each
        ]
        assert texts == [told["outcome"], verdict["sentence"], verdict["why"], told["position"]]
        assert (step, chip) == (str(told["step"]), f"{told['number']}{GLYPHS.get(verdict['grade'], '')}")


def test_a_whole_game_by_keyboard_alone(open_page, host):
    page = open_page(1280)
    page.keyboard.press("Enter")  # nothing is selected yet
    page.keyboard.press("Tab")  # from the table to the first card
    page.keyboard.press("ArrowRight")
    expect(page.locator(".choice:focus")).to_have_attribute("data-name", "2")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".choice:focus")).to_have_attribute("data-name", "1")
    assert host.trainer.steps == []
    expect(page.locator("#how")).to_be_visible()
    play(page, by_keyboard, "5", host)
    expect(page.locator("#mix")).to_be_in_viewport(ratio=1)  # although the rules stay open
    play(page, by_keyboard, "142", host)
    expect(page.locator("#only")).to_be_focused()
    play(page, lambda page, name: page.get_by_role("button", name=f"Play your only move: {name}").click(), "3", host)
    expect(page.locator("#how")).to_be_visible()
    game = host.game_id
    expect(page.locator("#end")).to_be_focused()
    expect(page.locator("#end")).to_be_in_viewport()
    page.keyboard.press("Enter")  # deals nothing before the end was read
    check_the_end(page, host)
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#review [aria-current]")).to_have_text("5")
    page.locator("#review button").nth(1).click()
    expect(page.locator("#review [aria-current]")).to_contain_text("2")
    page.locator("#new").focus()
    assert host.game_id == game
    page.keyboard.press("Enter")
    expect(page.locator("#number")).to_have_text("1")
    expect(page.locator("#end")).to_be_hidden()
    assert host.game_id != game


# What can be touched, but is less than 44 pixels wide or high.
SMALL = """() => [...document.querySelectorAll("button, summary, select, a")].filter((each) => {
  const { width, height } = each.getBoundingClientRect();
  return each.offsetParent && (width < 44 || height < 44);
}).map((each) => each.outerHTML)"""


def test_a_whole_game_by_mouse_on_a_phone_with_another_tab(open_page, host):
    page, other = open_page(375), open_page(1280)
    turned = page.locator("#turned > span")
    expect(turned).to_have_count(0)
    play(page, by_mouse, "5", host)
    expect(turned).to_have_count(2)  # nothing waits until they are
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate("document.getAnimations().length") == 0
    expect(turned.first).to_be_hidden()
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate("document.getAnimations().length") >= 2  # the backs stay turned away
    assert page.evaluate(SMALL) == []
    by_mouse(other, "4")  # which belongs to a turn that is over
    expect(other.locator("#message")).to_contain_text("has moved on, in another tab")
    expect(other.locator("#number")).to_have_text("2")
    assert [step.actions[0] for step in host.trainer.steps] == [4]
    before = page.locator("#digest").text_content()
    page.reload()
    expect(page.locator("#digest")).to_have_text(before)
    expect(page.locator(".choice")).to_have_count(4)
    page.once("dialog", lambda asked: asked.dismiss())
    page.locator("#give-up").click()
    assert host.trainer.ending is None
    expect(turned).to_have_count(0)  # of a page that has just been opened
    play(page, by_mouse, "1423", host)
    expect(page.locator("#ending")).to_have_text(host.view()["result"])
    other.evaluate("reload().then(showSeals)")  # it did not show what was sealed
    expect(other.locator("#end")).to_be_visible()
    expect(other.locator("#holds")).to_be_empty()
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    with page.expect_download() as download:
        page.locator("#record").click()
    assert download.value.suggested_filename == f"game-{host.game_id}.json"
    page.locator("#new").click()
    give_up(page)
    expect(page.locator("#holds")).to_contain_text("✓")


# -- other games ------------------------------------------------------------------------


def war(against, seed, **parameters):
    game = make_game("war", num_players=3, **parameters)
    return lambda: Host(table_for(game, 0, [against], None, "No costs."), seed, None)


def await_move(page, number):
    """Waits until the page shows that the move of this number was made."""
    expect(page.locator(f"#end:visible, #number:text-is('{number + 1}')").first).to_be_attached()


def play_out(page, host):
    """Plays to the end by clicks on the first items."""
    while not host.trainer.ending:
        number = host.trainer.number
        steps = host.trainer.table.game.picks(host.trainer.choices[0], host.trainer.table.seat)
        for _ in [item for _, items in steps for item in items]:
            page.locator(".choice").first.click()
        await_move(page, number)


def play_elsewhere(page, host):
    """Plays to the end in another tab, which this page learns of."""
    while not host.trainer.ending:
        host.move(MoveRequest(game=host.game_id, turn=host.turn, action=host.trainer.choices[0]))
    page.evaluate("reload()")


# Parts of which some lie below the first screen, and the rules and the prompt.
FIRST_SCREEN = """() => [
  ["#goal", "#scene", "#choosing", "#give-up"].filter((id) => {
    const { top, bottom, right } = document.querySelector(id).getBoundingClientRect();
    return !(bottom > top && top >= 0 && bottom <= innerHeight && right <= innerWidth);
  }),
  [$("goal").textContent, $("how").textContent].join(" "), $("hint").textContent, scrollY,
]"""


def check_the_first_screen(page, host):
    """The first sentence of the rules, the table, the prompt and all choices are in sight on phones and on a desk."""
    page.evaluate("$('rules').open = false")
    for width, height in ((320, 568), (375, 667), (768, 1024), (1280, 800)):
        page.set_viewport_size({"width": width, "height": height})
        hidden, rules, hint, scrolled = page.evaluate(FIRST_SCREEN)
        assert (hidden, scrolled) == ([], 0), (width, host.trainer.table.game)
        assert rules == host.trainer.table.game.how_to_play
        scene = host.trainer.table.game.scene(host.trainer.revealed())
        said = ("Click your move", f"Click {scene.clickable}")
        assert hint.startswith("Only one move" if len(host.trainer.choices) == 1 else said)
    assert page.locator("#goal").inner_text().count(". ") == 0
    page.evaluate("$('rules').open = true")


def give_up(page):
    page.once("dialog", lambda asked: asked.accept())
    page.locator("#give-up").click()
    expect(page.locator("#ending")).to_have_text("The game was given up and does not count.")


@pytest.mark.parametrize("host", [lambda: Host(None, None, None)], indirect=True, ids=["lobby"])
def test_every_game_can_be_chosen_and_played_by_clicks_and_keys(open_page, host, monkeypatch):
    compiled, asked = threading.Event(), []

    def slowly(game, seconds, progress):
        asked.append(game)
        compiled.wait(30)
        return None, "it is not computed"

    monkeypatch.setattr(lobby, "timely_equilibrium", slowly)
    monkeypatch.setattr(lobby, "_solutions", {})
    page = open_page(1280)
    expect(page.locator("#size option")).to_have_text([offer.size_in_words for offer in lobby.offers(0)])
    expect(page.locator("#opponent option").first).to_have_text("Perfect player")
    expect(page.locator("#plays")).to_contain_text("Plays optimally")
    expect(page.locator("#offered-rules")).to_contain_text("wins the trick")
    expect(page.locator("#kind img")).to_have_count(len(lobby.games()))
    page.evaluate("Promise.all([...document.querySelectorAll('#kind img')].map((image) => image.decode()))")
    assert page.locator("#kind").bounding_box()["y"] == page.locator("#lobby > .panel").bounding_box()["y"]
    assert asked == []
    page.locator("#choose").click()
    expect(page.get_by_role("status")).to_contain_text(
        "Preparing Jujitsu, 5 cards, against the perfect player: computing"
    )
    expect(page.locator("#choose")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#choose")).to_be_focused()
    expect(page.locator("#kind input").first).to_be_disabled()
    page.keyboard.press("Enter")  # has no effect
    other = open_page(375)  # a reload and a second tab show the same
    expect(other.get_by_role("status")).to_contain_text(
        "Preparing Jujitsu, 5 cards, against the perfect player: computing"
    )
    expect(other.locator("#opponent")).to_be_disabled()
    assert other.evaluate("document.documentElement.scrollWidth") <= 375
    other.locator("#stop").click()
    expect(page.locator("#stop")).to_be_hidden()
    expect(other.locator("#opponent")).to_be_enabled()
    expect(page.locator("#opponent")).to_have_value("Perfect player")
    page.locator("#choose").click()
    compiled.set()
    said = "The equilibrium is not available: it is not computed. Choose another opponent."
    expect(page.get_by_role("alert")).to_have_text(said)
    expect(page.locator("#setting")).to_be_empty()
    expect(page.locator("#opponent")).to_have_value("Perfect player")  # the user chooses another one
    expect(page.locator("#opponent")).to_be_focused()
    expect(page.locator("#opponent option").first).to_be_disabled()
    expect(page.locator("#plays")).to_have_text("Not available at this size.")
    expect(page.locator("#choose")).to_have_attribute("aria-disabled", "true")
    page.locator("#opponent").select_option("Level 2")
    expect(page.locator("#choose")).to_have_attribute("aria-disabled", "false")
    page.locator("#size").select_option(index=1)
    expect(page.locator("#opponent")).to_have_value("Level 2")
    expect(page.locator("#plays")).to_contain_text("a higher number is a stronger opponent")
    page.locator("#size").select_option(index=0)
    for place, name in enumerate(lobby.games()):
        if place:  # the first is selected
            page.locator("#kind label").nth(place).click()
        expect(page.locator("#size option")).to_have_text([offer.size_in_words for offer in lobby.offers(place)])
        first = page.locator("#size").evaluate("size => size.selectedIndex")
        assert lobby.offers(place)[first].first or not any(offer.first for offer in lobby.offers(place))
        page.locator("#opponent").select_option("Uniform")
        unlike = name in ("dice_poker", "liars_dice")
        expect(page.locator("#seat")).to_be_visible(visible=unlike)
        if unlike:
            page.locator("#seat").select_option(lobby.offers(place)[0].game.seat_in_words(1))
        page.locator("#first-series").select_option("best of 3")
        page.locator("#choose").click()
        expect(page.locator("#choosing")).to_be_visible()
        assert host.trainer.table.game == lobby.offers(place)[first].game
        check_the_first_screen(page, host)
        seat = host.trainer.table.seat
        assert seat == int(unlike)
        names = {host.trainer.table.game.describe_action(action, seat) for action in host.trainer.choices}
        offered = page.locator(".choice").evaluate_all("all => all.map((each) => each.dataset.name)")
        assert set(offered) == names, name
        page.locator(".choice:visible, #only:visible").last.click()
        await_move(page, 1)
        expect(page.locator("#new" if host.trainer.ending else "#result")).to_be_in_viewport(ratio=1)
        if not host.trainer.ending:
            steps = host.trainer.table.game.picks(host.trainer.choices[0], seat)
            for _ in [item for _, items in steps for item in items]:
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
            await_move(page, 2)
        if not host.trainer.ending:
            give_up(page)
        if name != lobby.games()[-1]:
            page.locator("#leave").click()
            expect(page.locator("#opponent")).to_have_value("Uniform")  # the last choice
            expect(page.locator("#first-series")).to_have_value("best of 3")
    expect(page.locator("#new")).to_have_text("Next game")
    page.locator("#series").select_option("as many as you like")
    expect(page.locator("#new")).to_have_text("Play again")
    page.locator("#series").select_option("best of 3")
    while not host._series.decided:
        page.locator("#new").click()
        expect(page.locator("#end")).to_be_hidden()
        play_elsewhere(page, host)
    expect(page.locator("#told")).to_contain_text("the best of 3, ")
    expect(page.locator("#new")).to_have_text("Start a best of 3")
    page.locator("#new").click()
    expect(page.locator("#end")).to_be_hidden()
    assert host._series.results == []


@pytest.mark.parametrize("host", [lambda: Host(None, None, None)], indirect=True, ids=["games"])
def test_every_game_is_reviewed_to_its_end_and_the_board_stays_where_it_is(open_page, host):
    """The player makes the costliest moves, in the last seat."""
    page, grades = open_page(375), set()
    for name in GAMES:
        game = make_game(name).smallest()
        solution = baselines.solve(game) if game.facts.num_players == 2 else None
        table = table_for(game, game.facts.num_players - 1, ["uniform"], solution)
        host._series = Series(table)
        host._begin(SEED)
        page.evaluate("reload()")
        board = page.locator("#scene").bounding_box()
        assert page.evaluate("view.review") == []
        while host.trainer.ending is None:
            trainer, judge = host.trainer, table.judge
            costs = {a: judge.verdict(trainer.state, table.seat, a).cost if judge else a for a in trainer.choices}
            trainer.play(max(costs, key=costs.get))
        page.evaluate("reload()")
        assert page.locator("#scene").bounding_box() == board, name
        check_the_end(page, host)
        grades |= {told["verdict"]["grade"] for told in host.view()["review"] if told["verdict"]}
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert grades >= {"best", "only move", "blunder"}


@pytest.mark.parametrize("host", [war("max", SEED)], indirect=True, ids=["war"])
def test_a_war_is_played_by_clicks_on_the_cards(open_page, host):
    page = open_page(1280)
    by_mouse(page, "13")
    expect(page.locator("#hint")).to_have_text("Pick 3 discards.")
    by_mouse(page, "4")
    expect(page.locator("#hint")).to_have_text("Pick 2 more discards. Picked so far: 4.")
    for card in "52":
        by_mouse(page, card)
    page.keyboard.press("Backspace")
    expect(page.locator("#hint")).to_have_text("Pick 1 more discard. Picked so far: 4, 5.")
    by_mouse(page, "3")
    expect(page.locator("#hint")).to_have_text("Pick your battle card. Picked so far: 4, 5, 3.")
    assert page.locator(".choice").count() == 8
    by_keyboard(page, "12")
    expect(page.locator("#moves")).to_contain_text("You: discards 3 4 5 and battles with 12")
    assert host.trainer.steps[1].actions[0] == host.trainer.table.game.actions.encode(((3, 4, 5), 12))


@pytest.mark.parametrize("host", [war("uniform", 8, ranks=3, discards=0, max_rounds=60)], indirect=True, ids=["war"])
def test_a_player_who_is_out_watches_the_others(open_page, host):
    page = open_page(1280)
    play_out(page, host)
    assert host.trainer.ending == "out"
    expect(page.locator("#end")).to_be_focused()
    page.locator("#watch").click()
    expect(page.locator("#watch")).to_be_hidden()
    assert host.trainer.ending == "over"


# -- a game in one file -------------------------------------------------------------------


@pytest.fixture
def open_file(tabs, tmp_path):
    """Opens a page that is one file; afterwards nothing else must have been requested, and nothing gone wrong."""
    asked, wrong, page = [], [], tabs[0].context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text))
    address = (tmp_path / "page.html").as_uri()

    def opened(content, place=""):
        (tmp_path / "page.html").write_text(content)
        page.goto(address + place)
        return page

    yield opened
    page.close()
    assert wrong == []
    assert [url.partition("#")[0] for url in asked] == [address]


def finished_in_file(page, game, places):
    """The account, by this package, of the game that the file has just shown to its end."""
    steps = page.evaluate("game.steps.map((each) => [each.place, each.played])")
    solution = baselines.solve(game)
    start, *after = [places[place][0] for place, _ in steps] + [places[page.evaluate("game.place")][0]]
    names, joint, paid = {"You": 0, "Perfect player": 1}, [], []
    for state, later, (_, played) in zip([start, *after], after, steps, strict=False):
        said = {names[who]: what for who, what in played}
        actions = {
            player: next(a for a in game.legal_actions(state, player) if game.describe_action(a, player) == what)
            for player, what in said.items()
        }
        joint.append(actions)
        paid.append(next(each.rewards for each in game.transitions(state, actions) if each.state == later))
    dealt = next(each.rewards for each in game.initial() if each.state == start)
    return explained(Judge(solution), Episode((start, *after), tuple(joint), dealt, tuple(paid)), 0)


@pytest.mark.parametrize(
    "game",
    [
        make_game("goofspiel", num_cards=3, prizes="descending"),
        Hostile(num_cards=2),
        *(
            pytest.param(make_game(name, **size), marks=pytest.mark.slow)
            for name, size in (("jujitsu", {"num_cards": 5}), ("goofspiel", {"num_cards": 3}), ("dice_poker", {}))
        ),
    ],
    ids=lambda game: type(game).__name__,
)
def test_a_file_is_played_to_the_end_by_keys_and_mouse_without_any_request(open_file, game):
    places = places_of(game)
    page = open_file(page_with(Listing(table_for(game, 0, [], baselines.solve(game)), places).data()))
    for width in (1280, 375):
        page.set_viewport_size({"width": width, "height": 800})
        while page.locator("#end").is_hidden():
            expect(page.locator(".choice:visible, #only:visible").first).to_be_visible()
            expect(page.locator("#worth-text")).to_contain_text(" from here.")
            number, shown = int(page.locator("#number").inner_text()), page.locator("#digest").text_content()
            if width == 1280:
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
            else:
                page.locator(".choice:visible, #only:visible").last.click()
            await_move(page, number)
            expect(page.locator("#holds")).to_contain_text("✓")
            assert page.locator("script, img").count() == 2  # the data and ours
            assert hashlib.sha256(page.locator("#opened-text").text_content().encode()).hexdigest() == shown
        account = finished_in_file(page, game, list(places))
        assert page.locator("#sum").text_content() == account.sentence("equilibrium")
        assert account.sentence("equilibrium").startswith(page.locator("#ending").inner_text().rstrip("."))
        review = page.evaluate("currentView().review")
        assert page.locator("#worst").text_content() == worst_of(review)[1]
        page.keyboard.press("ArrowRight")
        assert page.locator("#sentence").inner_text() == review[0]["verdict"]["sentence"]
        assert page.locator("#scene").get_attribute("aria-label") == review[0]["position"]
        cells = page.locator("#account tr > :not(.track)").all_text_contents()
        assert cells == [cell for row in account.rows("equilibrium") for cell in row]
        expect(page.locator("#leave")).to_be_hidden()
        assert page.locator("#total").text_content() == decimals(account.mine)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator("#series").select_option("best of 3")
        page.locator("#new").click()
    expect(page.locator("#players")).to_contain_text(" the best of 3, " if account.result else "0 to 0")
    give_up(page)
    choices = Choices(game, 0, page.evaluate("game.state.actions[0]"))
    for text in ("", "1", " 1  </SCR", "che", "0 1"):
        found = [[action, [[0, [place]]]] for place, action in enumerate(choices.matching(text))]
        assert page.evaluate("text => matching(text).actions", text) == found


def test_recorded_solutions_are_shown_as_they_are(open_file):
    page = open_file(solutions_page(), "#goofspiel/num_cards=4/2")
    expect(page.locator("#start option")).to_have_text([f"prize={prize}" for prize in range(1, 5)])
    game = make_game("goofspiel", num_cards=4)
    solution = baselines.recorded(game)
    cells = [[f"{value:.3f}" for value in row] for row in solution.data["starts"][2]["payoff_matrix"]]
    rows = [row.split("\t")[1:] for row in page.locator(".heat tr").all_inner_texts()[1:]]
    assert rows == cells
    said = page.locator("#mixes tr").all_inner_texts()
    mixes = solution.at(game.initial()[2].state).mixes
    assert [row.split() for row in said] == [[n, f"{float(p):.3f}"] for mix in mixes for n, p in mix.labelled().items()]
    page.locator("#exact").check()
    assert "/" in page.locator(".heat").inner_text()
    page.locator("#kind").select_option("dice_poker")
    page.locator("#size").select_option("sides=6")
    expect(page.locator("#worth")).to_have_text("Value 5/54 to player_0, exact.")
    expect(page.locator("#mixes h2")).to_have_text(["player_0", "player_1"])
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("innerWidth")


def test_the_file_words_an_account_as_the_command_does(tabs):
    random = np.random.default_rng(0)
    terms = (random.integers(-24, 25, (200, 4)) * random.choice([1 / 16, 1 / 3, 1e-4, 1e-12, 0.0], (200, 4))).tolist()
    written = [Account(sum(each), each[0], each[1], each[2], 0.0, each[3]) for each in terms]
    sums = [{**vars(each), "result": each.result} for each in written]
    page = tabs[0]
    page.add_script_tag(path=PAGES / "wording.js")
    said = page.evaluate("all => all.map((each) => [accountSentence(each), accountRows(each)])", sums)
    opponent = "equilibrium"
    assert said == [[each.sentence(opponent), [list(row) for row in each.rows(opponent)]] for each in written]
    series = Series(table_for(make_game("jujitsu", num_cards=3), 0, ["uniform"], None, "No costs."), 5)
    for result in (1.0, 0.0, -1.0, -1.0, 0.5):
        series.results.append(result)
        told = page.evaluate("all => standing(5, all)", [{"result": each} for each in series.results])
        assert told == {"standing": series.standing, "decided": series.decided}
