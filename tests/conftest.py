"""Settings of every test run: hypothesis tries the same examples each time and is never judged by the clock."""

from hypothesis import settings

settings.register_profile("winnow", deadline=None, derandomize=True)
settings.load_profile("winnow")
