"""Who may do what: API keys, log-ins, and the gate that every request passes.

A route asks ``Access.of(request)``, ``access.has("read")`` or ``access.require("export")``
(``api.access.scopes``); ``api.access.rules`` says which scope an address needs at least. A key
that came another way, as in a first message, is judged by ``await keyring.access_of(text)``
(``api.access.keyring``, in ``Service.keyring``).
"""
