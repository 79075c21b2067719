"""Two processes with the same questions ask each once, and one that is dead holds up nobody."""

import subprocess
import sys
import threading
import time

import pytest

from fourfold.experiments.llm import replies, reply_store
from fourfold.experiments.llm.chat import ChatRequest, Failure, Message, Reply
from fourfold.experiments.llm.replies import CachedChat
from fourfold.experiments.llm.reply_store import Claims, ReplyStore

HOLD = """
import sys
from pathlib import Path
from fourfold.experiments.llm.reply_store import Claims, ReplyStore
with Claims(ReplyStore(Path(sys.argv[1])).store) as claims:
    print(*sorted(claims.take(sys.argv[2:])), flush=True)
    sys.stdin.read()
"""


class Slow:
    """Answers when it is allowed to; fails where it is asked to."""

    name = "slow"

    def __init__(self):
        self.asked = []
        self.begun, self.go = threading.Event(), threading.Event()

    def describe(self):
        return {"name": self.name}

    def count_tokens(self, request):
        return None

    def complete(self, requests, keep=None):
        self.asked += [request.messages[0].content for request in requests]
        self.begun.set()
        assert self.go.wait(20)
        for place, request in enumerate(requests):
            text = request.messages[0].content
            keep(place, Failure("no") if text == "fail" else Reply(text, "stop"))


def question(text):
    return ChatRequest((Message("user", text),))


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    monkeypatch.setattr(replies, "_FIRST_LOOK", 0.01)
    monkeypatch.setattr(replies, "_LAST_LOOK", 0.05)


def claiming(folder):
    return Claims(ReplyStore(folder).store)


def claimed(folder, statement="SELECT key FROM claims"):
    return ReplyStore(folder).store.write(lambda connection: connection.execute(statement).fetchall(), None)


def hold(folder, *keys):
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), *keys],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_what_another_process_asks_is_not_taken_until_it_ends_or_is_killed(tmp_path):
    for end in ("ends", "is killed"):
        process = hold(tmp_path, "a", "b")
        assert process.stdout.readline().split() == ["a", "b"]
        with claiming(tmp_path) as claims:
            assert claims.take(["a", "b", "c"]) == {"c"}
            if end == "ends":
                process.communicate("")
            else:
                process.kill()
                process.wait()
            assert claims.take(["a", "b", "c"]) == {"a", "b", "c"}
        process.stdin.close()
        process.stdout.close()
    assert claimed(tmp_path) == []


def test_a_claim_without_a_sign_of_life_counts_no_more(tmp_path):
    with claiming(tmp_path) as silent, claiming(tmp_path) as claims:
        silent.take(["a"])
        assert claims.take(["a"]) == set()
        claimed(tmp_path, "UPDATE claims SET seen = seen - 60, machine = 'other'")  # one that was lost
        assert claims.take(["a"]) == {"a"}


def test_a_sign_of_life_is_given(tmp_path, monkeypatch):
    monkeypatch.setattr(reply_store, "_BEAT", 0.02)
    with claiming(tmp_path) as claims:
        claims.take(["a"])
        claimed(tmp_path, "UPDATE claims SET seen = 0")
        deadline = time.monotonic() + 10
        seen = "SELECT seen FROM claims"
        while claimed(tmp_path, seen) == [(0.0,)] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert abs(claimed(tmp_path, seen)[0][0] - time.time()) < 60


def test_damaged_claims_hold_up_nobody(tmp_path):
    with claiming(tmp_path) as silent, claiming(tmp_path) as claims:
        for column in ("machine", "process", "seen"):
            silent.take(["a"])
            claimed(tmp_path, f"UPDATE claims SET {column} = NULL")
            assert claims.take(["a"]) == {"a"}
            claims.take([])


def test_a_store_that_cannot_be_written_to_keeps_nobody_from_asking(tmp_path):
    (tmp_path / "file").write_text("")
    with claiming(tmp_path / "file") as one, claiming(tmp_path / "file") as two:
        assert one.take(["a"]) == two.take(["a"]) == {"a"}


def test_two_runs_at_once_ask_each_question_once_and_have_all_replies(tmp_path):
    first, second, lines, answers = Slow(), Slow(), [], {}
    second.go.set()

    def run(name, model, texts):
        chat = CachedChat(model, tmp_path, lines.append)
        answers[name] = chat.complete([question(text) for text in texts])

    one = threading.Thread(target=run, args=("one", first, ["a", "b", "fail"]))
    two = threading.Thread(target=run, args=("two", second, ["b", "c", "fail", "a"]))
    one.start()
    assert first.begun.wait(20)
    two.start()
    assert second.begun.wait(20)
    deadline = time.monotonic() + 20
    while not lines and time.monotonic() < deadline:
        time.sleep(0.01)
    assert lines == ["3 requests are under way in another process: waiting for the replies"]
    first.go.set()
    one.join(20)
    two.join(20)
    assert first.asked == ["a", "b", "fail"]
    assert second.asked == ["c", "fail"]  # what failed there is tried here
    assert [type(each).__name__ for each in answers["one"]] == ["Reply", "Reply", "Failure"]
    assert [getattr(each, "text", None) for each in answers["two"]] == ["b", "c", None, "a"]
    assert [each.cached for each in answers["two"] if isinstance(each, Reply)] == [True, False, True]


def test_a_call_that_raises_gives_its_claims_up(tmp_path):
    class Broken(Slow):
        def complete(self, requests, keep=None):
            raise RuntimeError("no model")

    with pytest.raises(RuntimeError, match="no model"):
        CachedChat(Broken(), tmp_path).complete([question("a")])
    after = Slow()
    after.go.set()
    CachedChat(after, tmp_path).complete([question("a")])
    assert after.asked == ["a"]
