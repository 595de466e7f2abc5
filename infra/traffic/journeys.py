"""What people do on a shop: plans as values, and the links that lead them on. No I/O."""

import re
from random import Random
from typing import Any, Literal

import msgspec

Act = Literal["land", "shelf", "product", "search", "about", "add", "checkout", "sign_up", "review"]

LINK = re.compile(r'href="(/(?:category|product)/[a-z0-9-]+)"')
WORDS = ("wool", "steel", "linen", "oak", "lamp", "glass", "cotton", "brass", "blue cup", "paper")
ASIDES = ("/about", "/about", "/story", "/slow", "/privacy")
OPINIONS = (
    "Does what it should.",
    "Bought a second one for my sister.",
    "Smaller than it looked, but well made.",
    "Arrived in good order. Would buy again.",
    "My evenings have improved.",
    "The colour is warmer than on the picture.",
)
BOUNCE = 0.34
THINK_MEDIAN_S = 9.0
THINK_SPREAD = 0.85
THINK_LIMITS_S = (0.8, 240.0)


class Step(msgspec.Struct, frozen=True):
    """One request: after a pause, with a form's or a JSON body's fields."""

    method: str
    path: str
    form: dict[str, str] = {}
    json: dict[str, Any] = {}
    pause_s: float = 0.0


def plan(rng: Random) -> list[Act]:
    """A visit from its landing to its end; a third of them end where they began."""
    acts: list[Act] = ["land"]
    if rng.random() < BOUNCE:
        return acts
    for _ in range(rng.randint(1, 4)):
        acts += rng.choices(_LOOKING, (50, 25, 17, 8))[0]
    if rng.random() < 0.32:
        acts += ["product", "add"]
        if rng.random() < 0.45:
            acts += ["checkout"]
    if rng.random() < 0.05:
        acts.insert(rng.randint(1, len(acts)), "sign_up")
    if rng.random() < 0.12:
        acts += ["product", "review"]
    return acts


_LOOKING: tuple[list[Act], ...] = (["shelf", "product"], ["product"], ["search"], ["about"])


def think_s(rng: Random) -> float:
    """How long somebody looks at a page: log-normal, nine seconds at the median."""
    seconds = THINK_MEDIAN_S * rng.lognormvariate(0, THINK_SPREAD)
    return min(max(seconds, THINK_LIMITS_S[0]), THINK_LIMITS_S[1])


def told_by_page(step: Step) -> dict[str, Any] | None:
    """The custom event that the page's script reports as a form is sent; None for other steps."""
    if step.method == "POST" and step.path == "/cart/add":
        return {"name": "add_to_cart", "properties": {**step.form, "number": "1"}}
    return {"name": "signup"} if step.method == "POST" and step.path == "/signup" else None


def links(page: str) -> list[str]:
    """Where a page leads, without repetitions, in its order."""
    return list(dict.fromkeys(LINK.findall(page)))


def landing(query: str, known: list[str], rng: Random) -> str:
    """Where a visit begins: often deep in the site, as soon as links into it are known."""
    kind = rng.choices(("home", "product", "category"), (45, 40, 15))[0]
    path = "/" if kind == "home" else follow(kind, known, rng)
    return f"{path}?{query}" if query else path


def follow(kind: str, known: list[str], rng: Random) -> str:
    """One of the known links of a kind (``category``, ``product``), or the home page."""
    fitting = [link for link in known if link.startswith(f"/{kind}/")]
    return rng.choice(fitting) if fitting else "/"


def steps(act: Act, here: str, known: list[str], rng: Random) -> list[Step]:
    """The requests of one act, for somebody who stands on the page ``here``."""
    if act in ("shelf", "product"):
        kind = "category" if act == "shelf" else "product"
        return [_get(follow(kind, known, rng), rng)]
    if act == "search":
        return [_get(f"/search?q={rng.choice(WORDS).replace(' ', '+')}", rng)]
    if act == "about":
        return [_get(rng.choice(ASIDES), rng)]
    return _committing(act, here, rng)


def _committing(act: Act, here: str, rng: Random) -> list[Step]:
    product = here.removeprefix("/product/") if here.startswith("/product/") else ""
    if act == "add" and product:
        return [Step("POST", "/cart/add", form={"product": product}, pause_s=think_s(rng))]
    if act == "checkout":
        return _checkout(rng)
    if act == "sign_up":
        return _sign_up(rng)
    if act == "review" and product:
        return [_review("POST", f"/api/products/{product}/reviews", rng)]
    return []


def changes(review: int, rng: Random) -> list[Step]:
    """What the author of a review may do to it later."""
    dice = rng.random()
    if dice < 0.4:
        return [_review("PUT", f"/api/reviews/{review}", rng)]
    if dice < 0.55:
        return [Step("DELETE", f"/api/reviews/{review}", pause_s=think_s(rng))]
    return []


def _checkout(rng: Random) -> list[Step]:
    done = rng.choices((1, 2, 3), (15, 15, 70))[0]
    forms: tuple[dict[str, str], ...] = ({"name": "Guest"}, {"delivery": "post"}, {})
    names = ("address", "delivery", "payment")
    answers = [
        Step("POST", f"/checkout/{name}", form=form, pause_s=think_s(rng))
        for name, form in zip(names, forms, strict=True)
    ]
    return [_get("/checkout", rng), *answers[:done]]


def _sign_up(rng: Random) -> list[Step]:
    form = {
        "name": "Guest",
        "email": f"guest-{rng.getrandbits(48):x}@mail.example",
        "password": f"{rng.getrandbits(64):x}-made-up",
    }
    return [_get("/signup", rng), Step("POST", "/signup", form=form, pause_s=think_s(rng))]


def _review(method: str, path: str, rng: Random) -> Step:
    words = {
        "rating": rng.choices((5, 4, 3, 2, 1), (45, 30, 14, 7, 4))[0],
        "text": rng.choice(OPINIONS),
        "name": "Guest",
    }
    return Step(method, path, json=words, pause_s=think_s(rng))


def _get(path: str, rng: Random) -> Step:
    return Step("GET", path, pause_s=think_s(rng))
