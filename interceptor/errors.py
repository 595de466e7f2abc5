"""The interceptor's one exception."""


class InterceptorError(Exception):
    """A setting cannot work. The message names it and says what would: change it, start again."""
