"""The API: keeps the history of sessions, serves it over HTTP, and feeds open dashboards live."""
