"""Build against a vendor SDK: an Arduino platform, by the recipes of its own platform.txt.

Follows Arduino's platform specification: properties of `platform.txt` and `boards.txt` (the board for our
part, the first choice of each of its menus), recipes for C, C++, assembly and the link, the core and the
variant as the library, and those of the platform's libraries whose headers a sketch includes. Not modelled:
hooks, programmers, cores borrowed from other platforms.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import UsageError
from .cache import Cache, digest, digest_files
from .compiler import PART, PLAIN_MESSAGES, Compiler
from .files import SOURCES, SketchFiles
from .library import in_parallel
from .messages import SketchError
from .toolchain import Toolchain, ToolError

_PROPERTY = re.compile(r"\{([\w.:-]+)\}")
_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)
_RECIPES = {".c": "recipe.c.o.pattern", ".S": "recipe.S.o.pattern"}
_CPP_RECIPE = "recipe.cpp.o.pattern"
_LINK_RECIPE = "recipe.c.combine.pattern"


@dataclass(frozen=True, slots=True)
class SdkCompiler(Compiler):
    """Compile and link as a platform says; `folder` is the platform's."""

    properties: dict[str, str] = field(repr=False)
    libraries: tuple[Path, ...] = ()

    @property
    def includes(self) -> tuple[str, ...]:
        """Give nothing: the recipes name the folders of headers."""
        return ()

    def compile(self, source: str | Path, target: Path, *flags: str | Path) -> str:
        """Compile a file by its recipe; return the compiler's messages.

        Raises:
            ToolError: the compiler found errors.
        """
        recipe = _RECIPES.get(Path(source).suffix, _CPP_RECIPE)
        return self._run(self._file_command(recipe, source, target, flags))

    def preprocess(self, source: str | Path, target: Path, *flags: str | Path) -> None:
        """Write a C++ file as the compiler sees it after preprocessing, its comments kept.

        Raises:
            ToolError: the preprocessor found errors.
        """
        command = self._file_command(_CPP_RECIPE, source, target, flags)
        self._run([*(word for word in command if word not in ("-c", "-MMD")), "-E", "-C"])

    def link(self, script: str, inputs: Sequence[Path | str], target: Path) -> str:
        """Link objects and the archive that comes last, with the platform's own script; return the messages.

        Raises:
            ToolError: something is missing or does not fit.
        """
        *objects, archive = map(str, inputs)
        paths = {
            "build.path": str(target.parent),
            "build.project_name": target.stem,
            "archive_file_path": archive,
            "archive_file": os.path.relpath(archive, target.parent),
        }
        return self._run(self._command(_LINK_RECIPE, paths, {"object_files": objects}))

    @property
    def _folders(self) -> list[Path]:
        core = self.folder / "cores" / self.properties["build.core"]
        variant = self.folder / "variants" / self.properties.get("build.variant", "")
        folders = [core, variant] if self.properties.get("build.variant") else [core]
        below = [library / "src" for library in self.libraries]
        libraries = [src if src.is_dir() else src.parent for src in below]
        return [folder for folder in [*folders, *libraries] if folder.is_dir()]

    @property
    def sources(self) -> list[Path]:
        """Give the sources of the core, the variant and the libraries in use, in a fixed order."""
        return [p for folder in self._folders for p in sorted(folder.rglob("*")) if p.suffix in SOURCES]

    @property
    def key(self) -> str:
        """Give what tells this SDK, as used by a sketch, from others."""
        files = [p for folder in self._folders for p in sorted(folder.rglob("*")) if p.is_file()]
        told = "\n".join(f"{name}={value}" for name, value in sorted(self.properties.items()))
        return digest(self.tools.identity, str(self.folder), told, digest_files(files, self.folder))

    def _file_command(
        self, recipe: str, source: str | Path, target: Path, flags: Sequence[str | Path]
    ) -> list[str]:
        paths = {"source_file": str(source), "object_file": str(target), "build.path": str(target.parent)}
        includes = [f"-I{folder}" for folder in self._folders]
        command = self._command(recipe, paths, {"includes": includes})
        return [*command, *PLAIN_MESSAGES, *map(str, flags)]

    def _command(self, recipe: str, paths: dict[str, str], lists: dict[str, list[str]]) -> list[str]:
        """Return the words of a recipe; paths go in after it was split, since they may hold blanks."""
        late = {
            **paths,
            "compiler.path": f"{self.tools.programs}{os.sep}",
            "runtime.platform.path": str(self.folder),
            "build.core.path": str(self._folders[0]),
            "build.variant.path": str(self._folders[1] if len(self._folders) > 1 else self._folders[0]),
        }
        if recipe not in self.properties:
            raise UsageError(
                f"{self.folder / 'platform.txt'}: has no {recipe!r}; give --sdk a whole platform"
            )
        text = self.properties[recipe]
        kept = late.keys() | lists.keys()
        for _ in range(10):  # properties may name others
            text = _PROPERTY.sub(lambda p: p[0] if p[1] in kept else self.properties.get(p[1], ""), text)
        command: list[str] = []
        for word in shlex.split(text):
            name = _PROPERTY.fullmatch(word)
            if name and name[1] in lists:
                command += lists[name[1]]
            else:
                command.append(_PROPERTY.sub(lambda p: late.get(p[1], p[0]), word))
        return command

    def _run(self, command: Sequence[str]) -> str:
        program, *arguments = command
        return self.tools.call(program, *arguments, cwd=self.folder)


def sdk_compiler(tools: Toolchain, folder: str | Path, files: SketchFiles) -> SdkCompiler:
    """Return the compiler of the platform in a folder, or the first one below it, for a sketch.

    Raises:
        UsageError: no platform there, or none with a board and a core for our part.
    """
    platforms = sorted(Path(folder).absolute().rglob("platform.txt"), key=lambda p: (len(p.parts), p))
    platform = next((p.parent for p in platforms if (p.parent / "boards.txt").is_file()), None)
    if platform is None:
        raise UsageError(f"no SDK in {str(folder)!r}: no boards.txt and platform.txt; name its folder")
    properties = {**_read(platform / "platform.txt"), **_read(platform / "platform.local.txt")}
    properties |= _board(_read(platform / "boards.txt"), platform)
    properties.setdefault("build.arch", platform.name.upper())
    properties |= {
        "runtime.ide.version": "10813",
        "compiler.warning_flags": properties.get("compiler.warning_flags.all", "-Wall"),
    }
    core = properties.get("build.core", "")
    if not core or not (platform / "cores" / core).is_dir():
        raise UsageError(f"{platform}: its core {core!r} is not in its folder 'cores'; name the whole SDK")
    return SdkCompiler(tools, platform, properties, _libraries_of(platform, files))


def sdk_library(compiler: SdkCompiler, cache: Cache) -> list[Path]:
    """Return the archive of core, variant and libraries, compiled now unless it was before.

    Raises:
        SketchError: the compiler found errors in them.
    """
    key = f"library-{compiler.key}"
    folder = cache.find(key)
    if folder is None:
        with cache.workshop() as shop:
            sources = compiler.sources
            objects = [shop / f"{number:03}_{source.name}.o" for number, source in enumerate(sources)]

            def job(source: Path, target: Path) -> Callable[[], str]:
                return lambda: compiler.compile(source, target, "-w")

            try:
                in_parallel([job(*pair) for pair in zip(sources, objects, strict=True)])
                compiler.archive(objects, shop / "core.a")
            except ToolError as error:
                raise SketchError(f"{compiler.folder}: cannot build the SDK's library: {error}") from error
            folder = cache.keep(key, shop)
    return [folder / "core.a"]


def _read(path: Path) -> dict[str, str]:
    """Return the properties in a file, none where it is missing."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    pairs = (line.partition("=") for line in lines if "=" in line and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip() for name, _, value in pairs}


def _board(properties: dict[str, str], platform: Path) -> dict[str, str]:
    """Return the properties of the board for our part, with the first choice of each menu."""
    boards = [name.removesuffix(".name") for name in properties if re.fullmatch(r"[^.]+\.name", name)]
    wanted = (b for b in boards if properties.get(f"{b}.build.mcu", "").startswith(PART.removesuffix("pb")))
    board = next(wanted, None)
    if board is None:
        raise UsageError(f"{platform / 'boards.txt'}: has no board with an {PART}; name the SDK for Blinks")
    own = {k.removeprefix(f"{board}."): v for k, v in properties.items() if k.startswith(f"{board}.")}
    chosen: dict[str, str] = {}
    result = {name: value for name, value in own.items() if not name.startswith("menu.")}
    for name, value in own.items():
        menu, _, rest = name.removeprefix("menu.").partition(".")
        choice, _, key = rest.partition(".")
        if name.startswith("menu.") and chosen.setdefault(menu, choice) == choice and key:
            result[key] = value
    return result


def _libraries_of(platform: Path, files: SketchFiles) -> tuple[Path, ...]:
    """Return the platform's libraries whose headers a sketch includes, those that these include too."""
    known = sorted(p for p in (platform / "libraries").glob("*") if p.is_dir())
    found: list[Path] = []
    waiting = list(files.all)
    while waiting:
        text = waiting.pop().read_text(encoding="utf-8", errors="replace")
        for name in _INCLUDE.findall(text):
            library = next((p for p in known if (p / name).is_file() or (p / "src" / name).is_file()), None)
            if library is not None and library not in found:
                found.append(library)
                waiting += [p for p in library.rglob("*") if p.suffix in {".h", ".hpp", *SOURCES}]
    return tuple(sorted(found))
