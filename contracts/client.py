"""What our own programs show an API that needs keys, from ``CLICKWAKE_CLIENT_*``."""

from collections.abc import Mapping

import msgspec

from contracts.settings import Secret, from_environment


class ClientSettings(msgspec.Struct, frozen=True, kw_only=True):
    """With what ``./clickwake`` asks an API.

    ``key``: an API key with the scope ``read``, where the API needs one.
    """

    key: Secret | None = None


def key_headers(environ: Mapping[str, str]) -> dict[str, str]:
    """The header that shows the key; none without one. ContractError when a setting is wrong."""
    key = from_environment(ClientSettings, "CLIENT", environ).key
    return {} if key is None else {"Authorization": f"Bearer {key}"}
