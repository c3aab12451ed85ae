"""Sessions: recorded, kept in a file, played again to the same bits, and gone back and forth in."""

from __future__ import annotations

import dataclasses
import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from blinks_sim import Image, Table
from blinks_sim.cli import app, main
from blinks_sim.errors import SessionError
from blinks_sim.session import History, Recorder, Replay, Session
from blinks_sim.session.history import FRAME_QUANTA

FRACTURE = Image.load("fracture")


def played(seconds: float = 3.0) -> tuple[Table, Session]:
    """Return a table on which all kinds of things were done, and its session."""
    table = Table(seed=5)
    a = table.add(FRACTURE, cell=(0, 0), turn=0)
    b = table.add(Image.load("values"), cell=(1, 0), turn=2)
    with Recorder(table) as recorder:
        table.run(1)
        a.click(3)
        table.move([b], cell=(4, 0), turn=1)
        table.run(0.3)
        table.add(FRACTURE, cell=(0, 1), turn=0, battery_mv=2700)
        b.send(b"hello")
        table.move([b], cell=(1, 0))
        a.reset()
        table.run(seconds)
        return table, recorder.session()


def changed(session: Session, path: Path, **changes: object) -> Path:
    """Write a session file whose top-level values are not what they were."""
    session.save(path)
    content = json.loads(gzip.decompress(path.read_bytes()))
    content.update(changes)
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    return path


def test_round_trip(tmp_path: Path):
    """A session file gives back the session, and the same session the same bytes."""
    _, session = played()
    session.save(tmp_path / "a.blinks")
    loaded = Session.load(tmp_path / "a.blinks")
    assert loaded == session
    assert len(session.checkpoints) >= 3
    loaded.save(tmp_path / "b.blinks")
    assert (tmp_path / "a.blinks").read_bytes() == (tmp_path / "b.blinks").read_bytes()


@pytest.mark.parametrize("threads", [1, 2])
def test_replay_is_the_same_to_the_bit(threads: int):
    """Played again on any number of threads, the table passes all checkpoints to the same end."""
    table, session = played()
    assert Replay(session, threads=threads).finish().digest() == table.digest()
    assert Replay(session, threads=threads).verify() is None


def test_recording_changes_nothing():
    """The same run without a recorder ends with the same digest."""
    table, session = played()
    again = Table(seed=5)
    for done in session.commands:
        again.run((done.quantum - again.quantum) * 1e-4)
        again.submit(done.command)
    again.run((session.end - again.quantum) * 1e-4)
    assert again.digest() == table.digest()


@pytest.mark.parametrize("field", ["pose", "flash", "eeprom", "memory", "chip"])
def test_first_divergence_is_told(field: str):
    """A checkpoint that says otherwise is reported with time, tile and field."""
    _, session = played()
    point = session.checkpoints[1]
    tiles = {number: dict(of) for number, of in point.tiles.items()}
    tiles[1][field] = "0" * 16
    points = list(session.checkpoints)
    points[1] = dataclasses.replace(point, tiles=tiles)
    found = Replay(dataclasses.replace(session, checkpoints=tuple(points))).verify()
    assert found is not None
    assert (found.time_s, found.tile, found.field) == (point.time_s, 1, field)


def test_a_tile_too_many_is_a_divergence():
    """A tile that the record does not know is told as its presence."""
    _, session = played()
    last = session.checkpoints[-1]
    fewer = {number: of for number, of in last.tiles.items() if number != 2}
    points = (*session.checkpoints[:-1], dataclasses.replace(last, tiles=fewer))
    found = Replay(dataclasses.replace(session, checkpoints=points)).verify()
    assert found is not None
    assert (found.tile, found.field) == (2, "presence")


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (lambda data: data[: len(data) // 2], "is damaged or no session file"),
        (lambda data: b"", "is damaged or no session file"),
        (lambda data: b":00000001FF\n", "is damaged or no session file"),
        (lambda data: data[:200] + b"\0" * 40 + data[240:], "is damaged or no session file"),
        (lambda data: gzip.compress(b"[1, 2]"), "is no session file; name one that --record wrote"),
        (lambda data: gzip.compress(b"{}"), "is no session file; name one that --record wrote"),
    ],
)
def test_unusable_files(tmp_path: Path, damage, text: str):
    """Truncated, empty, foreign and spoiled files are refused in one line."""
    path = tmp_path / "x.blinks"
    played()[1].save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(SessionError) as caught:
        Session.load(path)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_newer_version(tmp_path: Path):
    """A file of a later format says that the program wants an update."""
    path = changed(played()[1], tmp_path / "x.blinks", version=2)
    with pytest.raises(
        SessionError, match="is a session of version 2, this program reads 1; update blinks-sim"
    ):
        Session.load(path)


def test_wrong_image(tmp_path: Path):
    """An embedded image that is not the one it was recorded with is refused by name."""
    path = tmp_path / "x.blinks"
    played()[1].save(path)
    content = json.loads(gzip.decompress(path.read_bytes()))
    first, second = sorted(content["images"])
    content["images"][first]["flash"] = content["images"][second]["flash"]
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(SessionError, match="is not the one it was recorded with; record it again"):
        Session.load(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"commands": [[0, "Explode", {}]]},
        {"commands": [[0, "Press", {"tile": "x"}]]},
        {"commands": 7},
        {"seed": None},
        {"checkpoints": [[1]]},
    ],
)
def test_impossible_content(tmp_path: Path, changes: dict):
    """Content of the wrong shape is damage, told in one line."""
    path = changed(played()[1], tmp_path / "x.blinks", **changes)
    with pytest.raises(SessionError, match="is damaged"):
        Session.load(path)


def test_impossible_command(tmp_path: Path):
    """A command that the table refuses makes the session unusable, and says when."""
    _, session = played()
    broken = dataclasses.replace(session, commands=session.commands[:1] * 2)
    with pytest.raises(SessionError, match="at 0 s the session does what cannot be done: tile id 0"):
        Replay(broken).finish()


def test_unwritable_place(tmp_path: Path):
    """A place that cannot be written to is told, and nothing is left there."""
    with pytest.raises(SessionError, match="cannot be written"):
        played()[1].save(tmp_path / "missing" / "x.blinks")
    assert list(tmp_path.iterdir()) == []


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, arguments)
    if isinstance(result.exception, Exception) and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_record_and_replay_by_the_command_line(tmp_path: Path):
    """Run --record writes what replay --verify finds the same; a changed checkpoint gives exit status 1."""
    path = tmp_path / "run.blinks"
    status, *_ = run("run", "fracture", "--tiles", "2", "--headless", "--seconds", "2", "--record", str(path))
    assert status == 0
    status, out, _ = run("replay", str(path), "--verify", "--json")
    assert status == 0
    assert json.loads(out)["same"] is True
    content = json.loads(gzip.decompress(path.read_bytes()))
    content["checkpoints"][-1][1]["1"][3] = "f" * 16
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    status, out, _ = run("replay", str(path), "--verify")
    assert status == 1
    assert out == "diverged at 2 s: tile 1, memory\n"


def test_unusable_session_ends_with_status_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """The command line tells in one line that a file is no session."""
    path = tmp_path / "no.blinks"
    path.write_text("hello", encoding="utf-8")
    with pytest.raises(SystemExit) as caught:
        main(["replay", str(path)])
    assert caught.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "no session file" in err


def test_record_to_nowhere_is_refused_before_the_run(tmp_path: Path):
    """--record with a place that cannot be written to runs nothing."""
    with pytest.raises(SessionError, match="no file can be written there"):
        run("run", "hello", "--tiles", "1", "--headless", "--record", str(tmp_path / "missing" / "x"))


def test_gif(tmp_path: Path):
    """--gif draws a picture every 50 ms of the run."""
    path, out = tmp_path / "run.blinks", tmp_path / "run.gif"
    played(0.5)[1].save(path)
    status, *_ = run("replay", str(path), "--gif", str(out))
    assert status == 0
    from PIL import Image as Picture

    with Picture.open(out) as picture:
        assert picture.size == (480, 360)
        assert picture.n_frames > 5


@settings(max_examples=12)
@given(
    moments=st.lists(st.floats(0, 4), min_size=1, max_size=6),
    clicks=st.lists(st.floats(0.01, 0.5), min_size=1, max_size=4),
)
def test_any_moment_comes_back_to_the_bit(moments: list[float], clicks: list[float]):
    """Wherever one goes and in whatever order, the table is what it was when it was there first."""
    table = Table(seed=9)
    a = table.add(FRACTURE, cell=(0, 0), turn=0)
    table.add(FRACTURE, cell=(1, 0), turn=0)
    history = History(table)
    table.run(1)
    for wait in clicks:
        a.press()
        table.run(wait)
        a.release()
        table.run(wait)
    end, digest = table.time_s, table.digest()
    for moment in moments:
        history.go(moment)
        reached = Replay(Session(9, None, table.quantum, table.record, (), "")).finish()
        assert table.digest() == reached.digest()
    history.go(end)
    assert table.digest() == digest


def test_playing_on_from_the_past_is_a_new_branch():
    """What came after the moment one went back to is forgotten once time goes on from there."""
    table = Table(seed=9)
    a = table.add(FRACTURE, cell=(0, 0), turn=0)
    history = History(table)
    table.run(1)
    a.click(3)
    table.run(3)
    history.go(1.0)
    assert a.color == "RED"
    table.run(1)
    assert history.reach_s == (0, 2.0)
    assert a.color == "RED"
    history.go(9)
    assert table.time_s == pytest.approx(2.0)
    history.go(0.9)
    a.press()
    history.go(5)
    assert table.time_s == pytest.approx(0.9)
    assert a.pressed


def test_stepping_goes_by_frames_both_ways():
    """Steps back and on again meet the same moments, and a step past the latest one runs on."""
    table = Table(seed=9)
    a = table.add(FRACTURE, cell=(0, 0), turn=0)
    history = History(table)
    a.press()
    table.run(0.5)
    a.release()
    table.run(0.3)
    end, digest = table.quantum, table.digest()
    history.step(-30)
    assert table.quantum == end - 30 * FRAME_QUANTA
    assert a.pressed
    for _ in range(30):
        history.step()
    assert (table.quantum, table.digest()) == (end, digest)
    history.step(2)
    assert table.quantum == end + 2 * FRAME_QUANTA
    assert history.reach_s[1] == pytest.approx(table.time_s)
    history.step(-1000)
    assert table.quantum == 0


def test_a_session_file_can_be_read_by_whoever_reads_other_files(tmp_path: Path):
    """A saved session has the usual permissions and leaves nothing beside it."""
    path, other = tmp_path / "run.blinks", tmp_path / "other"
    other.write_bytes(b"")
    played(0.1)[1].save(path)
    assert path.stat().st_mode == other.stat().st_mode
    assert sorted(tmp_path.iterdir()) == [other, path]
