"""The prompt: reads inputs, evaluates them and shows their values."""
