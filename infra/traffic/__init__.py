"""Sample visitors for the demo site: plausible people and crawlers, as real HTTP requests."""
