import socket

import pytest

from infra.errors import InfraError
from infra.ports import SITE_PORT, free_ports, is_free, is_listening, require_free


@pytest.fixture
def taken() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_free_ports_differ_and_are_free() -> None:
    ports = free_ports(3)
    assert len(set(ports)) == 3
    assert all(is_free(port) for port in ports)


def test_a_taken_port_is_one_sentence_with_the_option(taken: int) -> None:
    with pytest.raises(InfraError) as caught:
        require_free(taken, SITE_PORT)
    assert str(caught.value) == (
        f"Port {taken} for the demo site is taken: end the program that listens on it, "
        "or choose another with --port-site."
    )


def test_listening_is_seen(taken: int) -> None:
    assert is_listening(f"127.0.0.1:{taken}")
    assert not is_listening(f"127.0.0.1:{free_ports(1)[0]}")
    assert not is_listening("nonsense")
