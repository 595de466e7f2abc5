"""Events that other producers send over HTTP, on their way to the requests topic."""
