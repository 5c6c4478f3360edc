"""Models that rules load: pure Python and compiled code, loaded once per process."""
