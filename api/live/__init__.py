"""What is: the newest sessions and counts, told to every open dashboard as they change."""
