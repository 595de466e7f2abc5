from collections import Counter
from random import Random
from statistics import median

from infra.traffic import journeys, people
from infra.traffic.places import Place

KNOWN = ["/category/kitchen", "/product/tall-mug", "/product/salt-jar"]


def test_a_third_of_the_visits_bounce():
    rng = Random(1)
    plans = [journeys.plan(rng) for _ in range(4000)]
    assert 0.30 < sum(len(plan) == 1 for plan in plans) / 4000 < 0.38
    assert all(plan[0] == "land" for plan in plans)
    seen = {act for plan in plans for act in plan}
    assert seen >= {"shelf", "product", "search", "about", "add", "checkout", "sign_up", "review"}


def test_the_same_seed_makes_the_same_plans():
    assert [journeys.plan(Random(7)) for _ in range(5)] == [journeys.plan(Random(7))] * 5


def test_think_times_are_long_tailed_and_bounded():
    rng = Random(1)
    times = [journeys.think_s(rng) for _ in range(4000)]
    assert 8 < median(times) < 10
    assert min(times) >= 0.8
    assert 60 < max(times) <= 240


def test_links_are_the_shops_own_in_order():
    page = (
        '<a href="/category/desk"> <a href="https://e.example/product/x"> <a href="/product/a-b">'
    )
    assert journeys.links(page + page) == ["/category/desk", "/product/a-b"]


def test_people_follow_links_that_they_know():
    rng = Random(1)
    assert journeys.follow("category", KNOWN, rng) == "/category/kitchen"
    assert journeys.follow("product", [], rng) == "/"


def test_campaign_parameters_stay_on_any_landing_page():
    rng = Random(1)
    pages = Counter(journeys.landing("ref=a", KNOWN, rng) for _ in range(500))
    assert set(pages) == {f"{path}?ref=a" for path in ("/", *KNOWN)}


def test_only_who_stands_before_a_product_can_buy_or_review_it():
    rng = Random(1)
    assert journeys.steps("add", "/about", KNOWN, rng) == []
    assert journeys.steps("review", "/", KNOWN, rng) == []
    (add,) = journeys.steps("add", "/product/tall-mug", KNOWN, rng)
    assert (add.method, add.path, add.form) == ("POST", "/cart/add", {"product": "tall-mug"})
    (review,) = journeys.steps("review", "/product/tall-mug", KNOWN, rng)
    assert review.path == "/api/products/tall-mug/reviews"
    assert 1 <= int(review.json["rating"]) <= 5


def test_most_checkouts_end_with_an_order():
    rng = Random(1)
    ends = Counter(journeys.steps("checkout", "/cart", KNOWN, rng)[-1].path for _ in range(500))
    assert ends.most_common(1)[0][0] == "/checkout/payment"
    assert len(ends) == 3


def test_a_person_brings_address_language_and_browser():
    rng = Random(1)
    visitors = [people.person([Place("81.2.69.142", "CH")], rng) for _ in range(300)]
    assert {visitor.headers["X-Forwarded-For"] for visitor in visitors} == {"81.2.69.142"}
    assert visitors[0].headers["Accept-Language"] == "de-CH,de;q=0.9,en;q=0.7"
    assert len({visitor.agent for visitor in visitors}) > 50
    assert not any("{" in visitor.agent or "bot" in visitor.agent for visitor in visitors)
    assert 5 < sum("DNT" in visitor.headers for visitor in visitors) < 50


def test_people_come_by_many_channels():
    rng = Random(1)
    entries = Counter(people.entry(rng) for _ in range(3000))
    assert set(entries) == set(people.ENTRIES)
    assert entries.most_common(1)[0][0] == people.Entry()


def test_crawlers_say_that_they_are():
    robot = people.crawler([Place("8.8.8.8", "US"), Place("81.2.69.142", "GB")], Random(1))
    assert "bot" in robot.agent.lower()
    assert robot.headers["X-Forwarded-For"] == "8.8.8.8"
