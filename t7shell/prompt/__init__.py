"""The prompt: reading inputs, evaluating them and showing what they give."""
