"""The Neovim plugin as plugin managers take it: the files of a repository of its own, and the rockspec for LuaRocks."""

from runner.tools import ROOT

from .archives import Entry
from .project import Project

NAME = "pintle.nvim"
# What a plugin consists of: no tests, no settings of linters.
KEPT = ("README.md", "doc/", "lua/", "media/", "plugin/")


def mirror() -> dict[str, Entry]:
    """The files at the root of the repository."""
    folder = ROOT / "editors/nvim"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    # Neovim writes the tags for each user's language.
    kept = {name: path for name, path in named.items() if name.startswith(KEPT) and name != "doc/tags"}
    licenses = {name: ROOT / name for name in ("LICENSE-MIT", "LICENSE-APACHE")}
    return {name: Entry(path.read_bytes()) for name, path in {**kept, **licenses}.items()}


def archive(project: Project) -> str:
    return f"{NAME}-{project.version}.tar.gz"


def rockspec_name(project: Project) -> str:
    return f"{NAME}-{project.version}-1.rockspec"


def rockspec(project: Project) -> str:
    return (
        'rockspec_format = "3.0"\n'
        f'package = "{NAME}"\n'
        f'version = "{project.version}-1"\n'
        "source = {\n"
        f'  url = "{project.downloads}/{archive(project)}",\n'
        f'  dir = "{NAME}-{project.version}",\n'
        "}\n"
        "description = {\n"
        '  summary = "A coding agent in Neovim: review, consent and steering, by the engine pintle",\n'
        f'  homepage = "{project.repository}",\n'
        f'  license = "{project.license}",\n'
        '  labels = { "neovim", "ai" },\n'
        "}\n"
        'dependencies = { "lua >= 5.1" }\n'
        "build = {\n"
        '  type = "builtin",\n'
        '  copy_directories = { "doc", "plugin" },\n'
        "}\n"
    )
