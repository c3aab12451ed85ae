"""Build with scikit-build-core; where no C compiler is found, ask PyPI for one."""

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

from scikit_build_core import build as _build
from scikit_build_core.build import *  # noqa: F403  (the other hooks pass through unchanged)


def _compiler_missing():
    return not (os.environ.get("CC") or any(map(shutil.which, ("cc", "gcc", "clang"))))


def get_requires_for_build_wheel(config_settings=None):
    """List what the build needs: cmake and ninja where they are missing, ziglang where no C compiler is."""
    zig = ["ziglang>=0.13"] if _compiler_missing() else []
    return _build.get_requires_for_build_wheel(config_settings) + zig


def _use_zig():
    if _compiler_missing() and (zig := find_spec("ziglang")):
        os.environ["CC"] = f"{Path(zig.origin).with_name('zig')} cc"


def build_wheel(*args, **kwargs):
    """Build the wheel, with ziglang's C compiler where there is no other."""
    _use_zig()
    return _build.build_wheel(*args, **kwargs)


def build_editable(*args, **kwargs):
    """Build the editable wheel, with ziglang's C compiler where there is no other."""
    _use_zig()
    return _build.build_editable(*args, **kwargs)


get_requires_for_build_editable = get_requires_for_build_wheel
