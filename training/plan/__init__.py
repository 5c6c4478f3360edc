"""What a training will reach, and what it takes, before it is paid for."""
