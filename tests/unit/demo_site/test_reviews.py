from tests.unit.demo_site.shop import open_shop

REVIEWS = "/api/products/tall-mug/reviews"
GOOD = {"rating": 4, "text": "Holds tea.", "name": "Ada"}


def test_a_review_is_created_changed_and_deleted_by_its_author():
    shop, _ = open_shop()
    made = shop.post(REVIEWS, json=GOOD)
    assert (made.status_code, made.json()["mine"]) == (201, True)
    number = made.json()["id"]
    changed = shop.put(f"/api/reviews/{number}", json={"rating": 5, "text": "Still holds tea."})
    assert (changed.json()["rating"], changed.json()["text"]) == (5, "Still holds tea.")
    assert [review["name"] for review in shop.get(REVIEWS).json()] == ["Ada"]
    assert shop.delete(f"/api/reviews/{number}").status_code == 204
    assert shop.get(REVIEWS).json() == []


def test_nobody_else_may_touch_it():
    shop, _ = open_shop()
    number = shop.post(REVIEWS, json=GOOD).json()["id"]
    shop.cookies.clear()
    assert shop.get(REVIEWS).json()[0]["mine"] is False
    for refused in (
        shop.put(f"/api/reviews/{number}", json=GOOD),
        shop.delete(f"/api/reviews/{number}"),
    ):
        assert refused.status_code == 403
        assert refused.headers["content-type"] == "application/problem+json"
        assert "Only its author" in refused.json()["detail"]


def test_what_is_no_review_is_refused_with_a_reason():
    shop, _ = open_shop()
    bad = [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b'{"rating": 6, "text": "x"}',
        b'{"rating": 5, "text": ""}',
        b'{"rating": "5", "text": "x"}',
    ]
    for body in bad:
        refused = shop.post(REVIEWS, content=body)
        assert (refused.status_code, refused.json()["status"]) == (422, 422)
    assert shop.post(REVIEWS, content=b"x" * 20_000).status_code == 413
    assert shop.post("/api/products/nothing/reviews", json=GOOD).status_code == 404
    assert shop.delete("/api/reviews/7").status_code == 404


def test_a_product_keeps_its_newest_reviews():
    shop, _ = open_shop()
    for _ in range(65):
        shop.post(REVIEWS, json=GOOD)
    assert len(shop.get(REVIEWS).json()) == 60


def test_page_and_api_requests_are_logged_and_the_rest_is_not():
    shop, recorder = open_shop()
    shop.get("/product/tall-mug?utm_source=news&token=SECRET", headers={"Cookie": "a=SECRET"})
    shop.get("/static/shop.css")
    shop.get("/static/reviews.js")
    shop.get("/healthz")
    shop.get("/robots.txt")
    shop.post(REVIEWS, json=GOOD)
    shop.get("/nowhere")
    seen = [(event.kind, event.method, event.path, event.status) for event in recorder.events]
    assert seen == [
        ("page", "GET", "/product/tall-mug", 200),
        ("api", "POST", REVIEWS, 201),
        ("page", "GET", "/nowhere", 404),
    ]
    assert recorder.events[0].query == {"utm_source": "news"}
    assert {event.site_id for event in recorder.events} == {"shop"}
