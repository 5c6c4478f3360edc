"""Where the time of some steps goes: a trace, and a table by part of the model."""
