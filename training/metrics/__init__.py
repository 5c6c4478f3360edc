"""What a training tells of itself: records, speed, norms and FLOPs."""
