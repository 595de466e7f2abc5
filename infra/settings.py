"""What the command line may be told by the environment, from ``CLICKWAKE_INFRA_*``."""

import msgspec


class InfraSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where ``./clickwake`` keeps things.

    ``data``: the folder of one stack's data, unless ``--data`` names another; without either it
    is ``.clickwake/data`` in the checkout.
    ``cache``: the folder of what was downloaded, which checkouts may share; without it
    ``.clickwake/cache`` in the checkout.
    """

    data: str | None = None
    cache: str | None = None
