"""A small shop with the interceptor in front of it, to watch one's own visit live."""
