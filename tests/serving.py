"""A server of HTTP in a thread of the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer


class LoopbackServer(ThreadingHTTPServer):
    """Answers many at once, and does not wait for those who have gone."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


@contextmanager
def serving(server: LoopbackServer) -> Iterator[None]:
    """While the context lasts."""
    with server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
