"""Names of headers and query parameters whose values are secrets, so that no event holds them."""

SECRET_HEADERS = frozenset(
    {
        "authorization",
        "cookie",
        "proxy-authorization",
        "set-cookie",
        "x-api-key",
        "x-auth-token",
        "x-csrf-token",
    }
)
SECRET_PARAMETERS = frozenset(
    {
        "access_token",
        "api_key",
        "apikey",
        "auth",
        "id_token",
        "jsessionid",
        "passwd",
        "password",
        "phpsessid",
        "refresh_token",
        "secret",
        "session",
        "sessionid",
        "sid",
        "sig",
        "signature",
        "token",
    }
)
