"""Statistics of the history: series, rankings, funnels, retention and paths. SQL and pure parts."""
