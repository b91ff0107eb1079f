"""The Python half of nn."""
