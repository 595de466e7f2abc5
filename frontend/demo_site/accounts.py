"""Sign-up, log-in, log-out, and the account's page."""

import secrets

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from frontend.demo_site import passwords
from frontend.demo_site.session import Visit
from frontend.demo_site.shop import fields, page, see, store_of, visit_of
from frontend.demo_site.store import EmailTakenError

MIN_PASSWORD = 8
NOBODY = passwords.hashed(secrets.token_hex(16))
"""Compared with when no account has the address, so that both answers take the same time."""


async def sign_up(request: Request) -> Response:
    """The form; and a new account, logged in."""
    if request.method == "GET":
        return page(request, "signup.html", form={}, problem="")
    form = await fields(request)
    problem = _problem(form)
    if not problem:
        password = await run_in_threadpool(passwords.hashed, form["password"])
        try:
            number = store_of(request).add_account(form["email"].lower(), form["name"], password)
        except EmailTakenError:
            problem = "That address has an account already: log in instead."
        else:
            return _welcome(visit_of(request), number, form["name"])
    return page(request, "signup.html", 422, form=form, problem=problem)


async def log_in(request: Request) -> Response:
    """The form; and the account's session."""
    if request.method == "GET":
        return page(request, "login.html", form={}, problem="")
    form = await fields(request)
    account = store_of(request).account(form.get("email", "").lower())
    stored = account.password if account else NOBODY
    right = await run_in_threadpool(passwords.matches, form.get("password", ""), stored)
    if account and right:
        return _welcome(visit_of(request), account.id, account.name)
    problem = "Address and password do not go together."
    return page(request, "login.html", 422, form=form, problem=problem)


async def log_out(request: Request) -> Response:
    """Back to being a guest; the cart stays."""
    visit = visit_of(request)
    visit.account, visit.name, visit.guest = 0, "", secrets.token_hex(8)
    visit.notice = "You are logged out."
    return see("/")


async def account_page(request: Request) -> Response:
    """The last orders of whoever is logged in."""
    visit = visit_of(request)
    if not visit.account:
        return see("/login")
    return page(request, "account.html", purchases=store_of(request).purchases(visit.owner))


def _welcome(visit: Visit, number: int, name: str) -> Response:
    visit.account, visit.name = number, name
    visit.notice = f"Welcome, {name}."
    return see("/account")


def _problem(form: dict[str, str]) -> str:
    if not form.get("name") or len(form["name"]) > 80:
        return "Tell us a name of at most 80 characters."
    if "@" not in form.get("email", "") or len(form["email"]) > 254:
        return "That does not look like an e-mail address."
    if len(form.get("password", "")) < MIN_PASSWORD:
        return f"Choose a password of at least {MIN_PASSWORD} characters."
    return ""


ROUTES = [
    Route("/signup", sign_up, methods=["GET", "POST"]),
    Route("/login", log_in, methods=["GET", "POST"]),
    Route("/logout", log_out, methods=["POST"]),
    Route("/account", account_page),
]
