import re

import pytest
from starlette.testclient import TestClient

from frontend.demo_site import art, catalog
from frontend.demo_site.app import create_app
from frontend.demo_site.settings import DemoSettings, shop_site
from tests.unit.demo_site.shop import Recorder, open_shop

SIGN_UP = {"name": "Ada", "email": "Ada@Shop.example", "password": "long enough"}


@pytest.fixture
def shop():
    return open_shop(dashboard_url="https://dashboard.example/")[0]


def paths():
    yield from ("/", "/about", "/search", "/search?q=wool", "/cart", "/login", "/signup")
    yield from (f"/category/{category.slug}" for category in catalog.CATEGORIES)
    yield from (f"/product/{product.slug}" for product in catalog.PRODUCTS)


@pytest.mark.parametrize("path", paths())
def test_every_page_is_whole_and_links_to_the_dashboard(shop, path):
    page = shop.get(path)
    assert page.status_code == 200
    assert 'href="https://dashboard.example/"' in page.text
    assert "Watch your visit live" in page.text
    assert page.text.count("<h1") == 1
    assert page.text.rstrip().endswith("</html>")


@pytest.mark.parametrize("path", paths())
def test_no_page_needs_another_origin_or_inline_code(shop, path):
    page = shop.get(path)
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    sources = re.findall(r'(?:src|action|rel="stylesheet" href)="([^"]+)"', page.text)
    assert all(source.startswith("/") for source in sources)
    assert " style=" not in page.text
    assert "<script>" not in page.text
    assert not re.search(r"\son[a-z]+=", page.text)


def test_every_link_of_the_shop_leads_somewhere(shop):
    links = {
        href for path in paths() for href in re.findall(r'href="(/[^"]*)"', shop.get(path).text)
    }
    answers = {href: shop.get(href).status_code for href in links}
    assert {href for href, status in answers.items() if status not in (200, 303)} == set()


def test_every_product_has_a_drawing_of_its_own():
    assert len(catalog.PRODUCTS) == 40
    assert {product.art for product in catalog.PRODUCTS} == set(art.SHAPES)
    for product in catalog.PRODUCTS:
        assert "$" not in art.drawing(product.art, product.tone)


def test_a_page_that_is_not_there(shop):
    for path in ("/nowhere", "/product/nothing", "/category/nothing"):
        page = shop.get(path)
        assert page.status_code == 404
        assert "This shelf is empty" in page.text


def test_search_needs_every_word_and_escapes_the_query(shop):
    assert "Fisher blanket" in shop.get("/search?q=woven+WOOL").text
    assert "Fisher blanket" not in shop.get("/search?q=woven+steel").text
    assert "<script>alert" not in shop.get("/search?q=<script>alert(1)</script>").text


def test_a_shelf_can_be_sorted(shop):
    page = shop.get("/category/kitchen?sort=price").text
    assert page.index("Tall mug") < page.index("Harbour kettle")


def test_buying_from_cart_to_thank_you(shop):
    assert shop.get("/checkout").headers["location"] == "/cart"
    shop.post("/cart/add", data={"product": "tall-mug", "number": "2"})
    shop.post("/cart/add", data={"product": "salt-jar"})
    shop.post("/cart/change", data={"product": "salt-jar", "number": "0"})
    assert "€ 37.00" in shop.get("/cart").text
    assert shop.get("/checkout").headers["location"] == "/checkout/address"
    steps = [
        shop.post(f"/checkout/{step}", data={"name": "Ada"}).headers["location"]
        for step in ("address", "delivery", "payment")
    ]
    assert steps == ["/checkout/delivery", "/checkout/payment", "/thank-you?order=1"]
    assert "Thank you, Ada" in shop.get(steps[-1]).text
    assert "It is empty" in shop.get("/cart").text


@pytest.mark.parametrize("number", ["-1", "", "x", "99999", "²"])
def test_strange_numbers_never_break_the_cart(shop, number):
    answer = shop.post("/cart/add", data={"product": "tall-mug", "number": number})
    assert answer.status_code == 303
    assert shop.get("/cart").status_code == 200


def test_sign_up_log_out_log_in(shop):
    assert shop.get("/account").headers["location"] == "/login"
    assert shop.post("/signup", data=SIGN_UP).headers["location"] == "/account"
    assert "Welcome, Ada." in shop.get("/account").text
    shop.post("/logout")
    assert shop.get("/account").headers["location"] == "/login"
    wrong = shop.post("/login", data={"email": "ada@shop.example", "password": "guess"})
    assert (wrong.status_code, "do not go together" in wrong.text) == (422, True)
    assert shop.post("/login", data=SIGN_UP).headers["location"] == "/account"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": ""}, "Tell us a name"),
        ({"email": "nobody"}, "does not look like an e-mail"),
        ({"password": "short"}, "at least 8 characters"),
    ],
)
def test_sign_up_says_what_is_wrong(shop, change, sentence):
    answer = shop.post("/signup", data=SIGN_UP | change)
    assert (answer.status_code, sentence in answer.text) == (422, True)


def test_an_address_signs_up_once(shop):
    shop.post("/signup", data=SIGN_UP)
    assert "has an account already" in shop.post("/signup", data=SIGN_UP).text


def test_requests_that_another_site_triggers_are_refused(shop):
    form = {"product": "tall-mug"}
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        assert shop.post("/cart/add", data=form, headers=headers).status_code == 403
    for headers in ({"Sec-Fetch-Site": "same-origin"}, {"Origin": "http://testserver"}, {}):
        assert shop.post("/cart/add", data=form, headers=headers).status_code == 303


def test_a_changed_cookie_is_a_new_visit(shop):
    shop.post("/cart/add", data={"product": "tall-mug"})
    body, _, signature = shop.cookies["shop"].partition(".")
    for forged in (f"{body}x.{signature}", f"{body}.", "é", "."):
        page = shop.get("/cart", headers={"Cookie": f"shop={forged}".encode()})
        assert "It is empty" in page.text


def test_who_only_looks_gets_no_cookie(shop):
    assert "set-cookie" not in shop.get("/").headers
    cookie = shop.post("/cart/add", data={"product": "tall-mug"}).headers["set-cookie"]
    assert "HttpOnly; SameSite=Lax" in cookie


def test_it_says_that_it_is_well(shop):
    assert shop.get("/healthz").text == "ok"


def test_every_page_includes_the_beacon_and_takes_what_it_reports():
    shop, seen = open_shop()
    assert '<script src="/cw.js" defer></script>' in shop.get("/").text
    assert shop.get("/cw.js").headers["content-type"] == "text/javascript; charset=utf-8"
    said = {"kind": "custom", "path": "/product/tall-mug", "name": "add_to_cart"}
    answer = shop.post("/cw", json=said, headers={"Sec-Fetch-Site": "same-origin"})
    assert answer.status_code == 204
    assert seen.events[-1].name == "add_to_cart"


def test_a_shop_without_a_beacon_does_not_ask_for_one():
    plain = create_app(
        DemoSettings(database=":memory:"),
        shop_site("k", {"CLICKWAKE_SITE_BEACON_PATH": ""}),
        emitter=Recorder(),
    )
    assert "cw.js" not in TestClient(plain).get("/").text
