"""Session files: JSON in gzip, images embedded once each. The same session gives the same bytes."""

from __future__ import annotations

import base64
import gzip
import json
import os
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any, get_args

from ..commands import Command, Recorded
from ..errors import SessionError
from ..hexgrid import Pose
from ..image import FLASH_BYTES, Image
from .record import FIELDS, Checkpoint, Session

FORMAT = "blinks-session"
VERSION = 1

_COMMANDS: dict[str, Callable[..., Command]] = {kind.__name__: kind for kind in get_args(Command)}


def save(session: Session, path: Path) -> None:
    """Write a session: first beside its place, then into it."""
    images: dict[str, Any] = {}
    content = {
        "format": FORMAT,
        "version": VERSION,
        "program": session.program,
        "seed": session.seed,
        "skew_ppm": session.skew_ppm,
        "end": session.end,
        "commands": [[done.quantum, *_command_out(done.command, images)] for done in session.commands],
        "checkpoints": [
            [point.quantum, {str(tile): [of[f] for f in FIELDS] for tile, of in point.tiles.items()}]
            for point in session.checkpoints
        ],
        "images": images,
    }
    text = json.dumps(content, separators=(",", ":"), sort_keys=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")  # not a private temporary file: it is to be shared
    try:
        beside.write_bytes(gzip.compress(text.encode(), mtime=0))
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink()
        raise SessionError(f"{path}: cannot be written ({error.strerror}); name another place") from None


def check_writable(path: Path) -> None:
    """Refuse a place that no session could be written to, before a long run.

    Raises:
        SessionError: its folder is missing or may not be written to, or it is a folder itself.
    """
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SessionError(f"{path}: no file can be written there; name another place")


def load(path: Path) -> Session:
    """Read a session; every way in which a file can be unusable becomes one line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SessionError(f"{path}: cannot be read ({error.strerror}); name a session file") from None
    try:
        content = json.loads(gzip.decompress(data))
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise SessionError(f"{path}: is damaged or no session file ({error}); record it again") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise SessionError(f"{path}: is no session file; name one that --record wrote")
    version = content.get("version")
    if version != VERSION:
        raise SessionError(
            f"{path}: is a session of version {version}, this program reads {VERSION}; update blinks-sim"
        )
    try:
        return _session_in(content, path)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise SessionError(f"{path}: is damaged ({type(error).__name__}: {error}); record it again") from None


def _session_in(content: dict[str, Any], path: Path) -> Session:
    images = {digest: _image_in(digest, image, path) for digest, image in content["images"].items()}
    return Session(
        seed=int(content["seed"]),
        skew_ppm=None if content["skew_ppm"] is None else int(content["skew_ppm"]),
        end=int(content["end"]),
        commands=tuple(
            Recorded(int(quantum), _command_in(kind, values, images))
            for quantum, kind, values in content["commands"]
        ),
        checkpoints=tuple(
            Checkpoint(
                int(quantum),
                {int(tile): dict(zip(FIELDS, map(str, of), strict=True)) for tile, of in tiles.items()},
            )
            for quantum, tiles in content["checkpoints"]
        ),
        program=str(content["program"]),
    )


def _image_in(digest: str, content: dict[str, Any], path: Path) -> Image:
    flash = base64.b64decode(content["flash"], validate=True)
    if len(flash) != FLASH_BYTES or sha256(flash).hexdigest() != digest:
        raise SessionError(
            f"{path}: image {content['name']!r} is not the one it was recorded with; record it again"
        )
    return Image(flash, str(content["name"]), {str(k): int(v) for k, v in content["symbols"].items()})


def _command_out(command: Command, images: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    values = {field.name: getattr(command, field.name) for field in fields(command)}
    return type(command).__name__, {name: _value_out(value, images) for name, value in values.items()}


def _value_out(value: Any, images: dict[str, Any]) -> Any:
    if isinstance(value, Image):
        flash = base64.b64encode(value.flash).decode()
        images[value.sha256] = {"name": value.name, "flash": flash, "symbols": value.symbols}
        return value.sha256
    if isinstance(value, Pose):
        return [value.x, value.y, value.angle]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, tuple):
        return [_value_out(part, images) for part in value]
    return value


def _command_in(kind: str, values: dict[str, Any], images: dict[str, Image]) -> Command:
    readers: dict[str, Callable[[Any], Any]] = {
        "image": lambda digest: images[digest],
        "pose": lambda place: Pose(*map(float, place)),
        "poses": lambda poses: tuple((int(tile), Pose(*map(float, place))) for tile, place in poses),
        "tiles": lambda tiles: tuple(map(int, tiles)),
        "data": lambda text: base64.b64decode(text, validate=True),
        "lifted": bool,
    }
    return _COMMANDS[kind](**{name: readers.get(name, int)(value) for name, value in values.items()})
