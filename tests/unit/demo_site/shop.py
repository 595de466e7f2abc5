"""The demo shop in process, with a recorder in the place of the interceptor's emitter."""

import pytest
from starlette.testclient import TestClient

from frontend.demo_site.app import create_app
from frontend.demo_site.settings import DemoSettings, shop_site
from interceptor.ledger import Ledger


class Recorder:
    def __init__(self):
        self.ledger, self.events = Ledger("shop"), []

    def submit(self, event):
        self.events.append(event)
        return True

    def start(self):
        pass

    def close(self):
        pass


def open_shop(**settings):
    """A client of a fresh shop, and the recorder."""
    recorder = Recorder()
    app = create_app(
        DemoSettings(database=":memory:", **settings), shop_site("k", {}), emitter=recorder
    )
    return TestClient(app, follow_redirects=False), recorder


@pytest.fixture
def shop():
    client, _ = open_shop()
    return client
