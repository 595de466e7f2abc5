"""Sign-up, log-in, log-out, and the account's page, where one changes and deletes it."""

import secrets

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from frontend.demo_site import passwords
from frontend.demo_site.session import Visit
from frontend.demo_site.shop import fields, page, see, store_of, visit_of
from frontend.demo_site.store import Account, EmailTakenError

MIN_PASSWORD = 8
TAKEN = "That address has an account already"
WRONG = "That is not your password."
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
            problem = f"{TAKEN}: log in instead."
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
    """The last orders of whoever is logged in, and what may be changed."""
    account = _own(request)
    return _shown(request, account) if account else see("/login")


async def change(request: Request) -> Response:
    """Another name, address or password, for who knows the present password."""
    account, form = _own(request), await fields(request)
    if account is None:
        return see("/login")
    wished = {**form, "password": form.get("new_password") or form.get("password", "")}
    problem = _problem(wished) or await _wrong_password(account, form)
    if not problem:
        try:
            store_of(request).change_account(await _changed(account, form))
        except EmailTakenError:
            problem = f"{TAKEN}."
    if problem:
        return _shown(request, account, problem=problem, status=422)
    visit = visit_of(request)
    visit.name, visit.notice = form["name"], "Your account is changed."
    return see("/account")


async def delete(request: Request) -> Response:
    """The account goes, with its orders and reviews."""
    account, form = _own(request), await fields(request)
    if account is None:
        return see("/login")
    problem = await _wrong_password(account, form)
    if problem:
        return _shown(request, account, deletion_problem=problem, status=422)
    store_of(request).delete_account(account.id)
    visit = visit_of(request)
    visit.account, visit.name, visit.guest = 0, "", secrets.token_hex(8)
    visit.notice = "Your account is deleted, with its orders and reviews."
    return see("/")


def _own(request: Request) -> Account | None:
    """The account of whoever is logged in, unless it was deleted elsewhere."""
    number = visit_of(request).account
    return store_of(request).account_by_id(number) if number else None


def _shown(request: Request, account: Account, *, status: int = 200, **problems: str) -> Response:
    purchases = store_of(request).purchases(visit_of(request).owner)
    return page(request, "account.html", status, account=account, purchases=purchases, **problems)


async def _wrong_password(account: Account, form: dict[str, str]) -> str:
    given = form.get("password", "")
    return "" if await run_in_threadpool(passwords.matches, given, account.password) else WRONG


async def _changed(account: Account, form: dict[str, str]) -> Account:
    password = account.password
    if form.get("new_password"):
        password = await run_in_threadpool(passwords.hashed, form["new_password"])
    return msgspec.structs.replace(
        account, email=form["email"].lower(), name=form["name"], password=password
    )


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
    Route("/account/change", change, methods=["POST"]),
    Route("/account/delete", delete, methods=["POST"]),
]
