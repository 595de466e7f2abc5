"""Run migrations on the connection that the API hands over (see ``api.history.engine``)."""

from alembic import context

import api.access.models
import api.annotations.models
import api.erasures.models
import api.views.models  # noqa: F401 (their tables belong to the metadata)
from api.history.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
