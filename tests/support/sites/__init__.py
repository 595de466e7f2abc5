"""Small sites that tests run under real servers."""
