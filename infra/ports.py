"""Ports on loopback: which are taken, and free ones."""

import contextlib
import socket

import msgspec

from infra.errors import InfraError

HOST = "127.0.0.1"


class PortUse(msgspec.Struct, frozen=True):
    """What a port is for, and the option that chooses another."""

    what: str
    option: str


SITE_PORT = PortUse("demo site", "--port-site")
API_PORT = PortUse("API and dashboard", "--port-api")
KAFKA_PORT = PortUse("embedded Kafka", "--port-kafka")


def free_ports(count: int) -> list[int]:
    """That many different ports which nobody listens on now."""
    with contextlib.ExitStack() as stack:
        # All stay bound until the last is found, so no port comes twice.
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((HOST, 0))
        return [int(one.getsockname()[1]) for one in sockets]


def is_free(port: int) -> bool:
    """Whether a server could listen on the port."""
    with socket.socket() as one:
        # As servers do: connections of an earlier run that still linger do not matter.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            one.bind((HOST, port))
        except OSError:
            return False
    return True


def is_listening(address: str, seconds: float = 1.0) -> bool:
    """Whether someone accepts connections at ``host:port``."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=seconds):
            return True
    except (OSError, ValueError):
        return False


def require_free(port: int, use: PortUse) -> None:
    """Raise InfraError naming the port and the option when nobody could listen on it."""
    if not is_free(port):
        raise InfraError(
            f"Port {port} for the {use.what} is taken: end the program that listens on it, "
            f"or choose another with {use.option}."
        )
