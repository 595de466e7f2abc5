"""How the whole is doing, in numbers for Prometheus."""
