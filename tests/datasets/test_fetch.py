"""Data sets from the network, played by a server on this machine."""

from __future__ import annotations

import hashlib
import socket
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.datasets import fetch_tudataset
from graphmeans.datasets.tudataset import TU_URL, cache_folder
from graphmeans.io import write_tudataset


class Handler(SimpleHTTPRequestHandler):
    """Serves the folder, and counts what was asked for."""

    def do_GET(self):
        self.server.asked.append(self.path)
        if self.path.startswith("/broken/"):
            self.send_error(503)
        elif self.path.startswith("/short/"):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b"PK")
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "served"
    graphs, y = gm.datasets.make_letters(30, random_state=0)
    write_tudataset(graphs, folder / "LETTERS.zip", np.unique(y, return_inverse=True)[1].tolist())
    served = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    served.asked, served.folder = [], folder
    served.url = f"http://127.0.0.1:{served.server_port}"
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()
    thread.join()


def test_downloaded_once_then_read_from_the_cache(server, tmp_path, capsys):
    for _ in range(2):
        graphs, y = fetch_tudataset("LETTERS", cache=tmp_path / "cache", url=server.url)
        assert len(graphs) == len(y) == 30
        assert y.dtype == np.int64
    assert server.asked == ["/LETTERS.zip"]
    assert sorted(path.name for path in (tmp_path / "cache").iterdir()) == ["LETTERS.zip", "LETTERS.zip.sha256"]
    assert capsys.readouterr() == ("", "")


def test_offline_is_said_in_one_line(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    said = rf"^LETTERS: cannot be downloaded, 127\.0\.0\.1:{port} cannot be reached; put"
    with pytest.raises(gm.GraphError, match=said) as caught:
        fetch_tudataset("LETTERS", cache=tmp_path, url=f"http://127.0.0.1:{port}/")
    assert str(tmp_path / "LETTERS.zip") in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_what_a_server_may_answer(server, tmp_path):
    for path, said in (("", "there is no ABSENT there"), ("/broken", "it answered 503"), ("/short", "cannot be downloaded")):
        with pytest.raises(gm.GraphError, match=rf"^ABSENT: cannot be downloaded.*{said}|^ABSENT: {said}"):
            fetch_tudataset("ABSENT", cache=tmp_path / "cache", url=server.url + path)
    assert not list((tmp_path / "cache").glob("ABSENT*"))
    (server.folder / "PAGE.zip").write_text("<html>not a zip</html>")
    with pytest.raises(gm.GraphError, match=r"PAGE\.zip: is not a readable zip"):
        fetch_tudataset("PAGE", cache=tmp_path / "cache", url=server.url)


def test_checksums(server, tmp_path):
    right = hashlib.sha256((server.folder / "LETTERS.zip").read_bytes()).hexdigest()
    with pytest.raises(gm.GraphError, match=rf"has the SHA-256 {right}, not 0000"):
        fetch_tudataset("LETTERS", cache=tmp_path, url=server.url, sha256="0" * 64)
    assert not list(tmp_path.glob("LETTERS.zip*"))
    fetch_tudataset("LETTERS", cache=tmp_path, url=server.url, sha256=right.upper())
    assert (tmp_path / "LETTERS.zip.sha256").read_text().strip() == right
    # another file in the cache is noticed, and so is another file on the server
    other = tmp_path / "other.zip"
    write_tudataset([gm.Graph(2, [(0, 1)])], other, ["1"], name="LETTERS")
    (tmp_path / "LETTERS.zip").write_bytes(other.read_bytes())
    with pytest.raises(gm.GraphError, match=r"LETTERS\.zip: its SHA-256 is not"):
        fetch_tudataset("LETTERS", cache=tmp_path, url=server.url)
    (tmp_path / "LETTERS.zip").unlink()
    (server.folder / "LETTERS.zip").write_bytes(other.read_bytes())
    with pytest.raises(gm.GraphError, match="it was deleted"):
        fetch_tudataset("LETTERS", cache=tmp_path, url=server.url)


def test_names_and_folders(tmp_path, monkeypatch):
    for name in ("../x", "a/b", "", ".hidden", 3):
        with pytest.raises(gm.GraphError, match="is not the name of a data set"):
            fetch_tudataset(name, cache=tmp_path)
    with pytest.raises(gm.GraphError, match="64 hexadecimal digits"):
        fetch_tudataset("MUTAG", cache=tmp_path, sha256="12")
    monkeypatch.setenv("GRAPHMEANS_DATA", str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv("GRAPHMEANS_DATA")
    assert "graphmeans" in str(cache_folder())
    assert TU_URL.startswith("https://")
