"""An archive on this machine: a real HTTP server that serves well, badly, slowly or not at all."""

import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Archive:
    """``archive[path] = bytes or function(handler)``; ``archive.asked`` lists the paths asked for."""

    def __init__(self, port):
        self.port, self.served, self.asked = port, {}, []

    def __setitem__(self, path, answer):
        self.served[path] = answer

    def address(self, path, host="127.0.0.1"):
        return f"http://{host}:{self.port}{path}"


def send(handler, body, status=200, length=None, **headers):
    """Answer with these bytes, and with a false length where one is given (-1: none at all)."""
    handler.send_response(status)
    if length != -1:
        handler.send_header("Content-Length", str(len(body) if length is None else length))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def announcing(body, length):
    return lambda handler: send(handler, body, length=length)


def dripping(body, pause, chunk=1):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        try:
            for start in range(0, len(body), chunk):
                handler.wfile.write(body[start : start + chunk])
                handler.wfile.flush()
                time.sleep(pause)
        except OSError:
            pass

    return answer


@contextmanager
def running():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            archive.asked.append(self.path)
            answer = archive.served.get(self.path)
            if answer is None:
                send(self, b"<html>no such page</html>", status=404)
            elif callable(answer):
                answer(self)
            else:
                send(self, answer)
            self.close_connection = True

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    archive = Archive(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield archive
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
