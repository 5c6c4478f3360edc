"""What a redacting stage leaves of the texts that it redacted: their originals in the stages before it."""
