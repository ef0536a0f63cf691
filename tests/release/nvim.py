"""The Neovim plugin for plugin managers: a mirror repository and a LuaRocks rockspec."""

from runner.tools import ROOT

from .archives import Entry
from .project import Project

NAME = "pintle.nvim"
# Without tests and linter settings.
KEPT = ("README.md", "doc/", "lua/", "media/", "plugin/")


def mirror() -> dict[str, Entry]:
    """Returns the mirror's files."""
    folder = ROOT / "editors/nvim"
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    # Neovim generates the tags.
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
