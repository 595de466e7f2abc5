"""The one exception that this package's callers need to know."""


class InfraError(Exception):
    """Something outside the code is in the way: the message is one sentence for the operator.

    It says what is wrong and what to do. The command line prints it and exits with 1.
    """
