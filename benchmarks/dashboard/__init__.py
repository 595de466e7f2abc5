"""What a real browser does with a busy dashboard: frames, memory, and how soon it is there."""
