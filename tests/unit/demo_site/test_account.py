"""An account is changed and deleted by who knows its password."""

import pytest
from starlette.testclient import TestClient

from tests.unit.demo_site.shop import open_shop

SIGN_UP = {"name": "Ada", "email": "ada@shop.example", "password": "long enough"}
GOOD = {"rating": 4, "text": "Holds tea."}
REVIEWS = "/api/products/tall-mug/reviews"


@pytest.fixture
def shop() -> TestClient:
    client: TestClient = open_shop()[0]
    client.post("/signup", data=SIGN_UP)
    return client


def test_name_address_and_password_are_changed(shop: TestClient) -> None:
    change = SIGN_UP | {"name": "Ada L.", "email": "L@shop.example", "new_password": "even longer"}
    assert shop.post("/account/change", data=change).headers["location"] == "/account"
    assert "Your account is changed." in shop.get("/account").text
    shop.post("/logout")
    assert shop.post("/login", data=SIGN_UP).status_code == 422
    log_in = {"email": "l@shop.example", "password": "even longer"}
    assert shop.post("/login", data=log_in).headers["location"] == "/account"
    assert "Ada L." in shop.get("/account").text


def test_an_empty_new_password_keeps_the_one_there_is(shop: TestClient) -> None:
    shop.post("/account/change", data=SIGN_UP | {"name": "Lady A", "new_password": ""})
    shop.post("/logout")
    assert shop.post("/login", data=SIGN_UP).headers["location"] == "/account"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"password": "a guess of mine"}, "That is not your password."),
        ({"new_password": "short"}, "at least 8 characters"),
        ({"email": "bea@shop.example"}, "has an account already"),
        ({"name": ""}, "Tell us a name"),
    ],
)
def test_a_change_says_what_is_wrong(
    shop: TestClient, change: dict[str, str], sentence: str
) -> None:
    shop.post("/logout")
    shop.post("/signup", data=SIGN_UP | {"email": "bea@shop.example"})
    shop.post("/logout")
    shop.post("/login", data=SIGN_UP)
    answer = shop.post("/account/change", data=SIGN_UP | change)
    assert (answer.status_code, sentence in answer.text) == (422, True)


def test_deleting_takes_orders_and_reviews_along(shop: TestClient) -> None:
    shop.post(REVIEWS, json=GOOD)
    wrong = shop.post("/account/delete", data={"password": "a guess"})
    assert (wrong.status_code, "not your password" in wrong.text) == (422, True)
    assert len(shop.get(REVIEWS).json()) == 1
    assert shop.post("/account/delete", data=SIGN_UP).headers["location"] == "/"
    assert "Your account is deleted" in shop.get("/").text
    assert shop.get(REVIEWS).json() == []
    assert shop.post("/login", data=SIGN_UP).status_code == 422
    assert shop.get("/account").headers["location"] == "/login"


def test_a_cookie_of_a_deleted_account_is_a_guests(shop: TestClient) -> None:
    cookie = shop.cookies["shop"]
    shop.post("/account/delete", data=SIGN_UP)
    shop.cookies.set("shop", cookie)
    for path in ("/account/change", "/account/delete"):
        assert shop.post(path, data=SIGN_UP).headers["location"] == "/login"
