"""Installers and package manager manifests, with archive URLs and checksums. Pure."""

from pathlib import Path

from .project import Project
from .systems import SYSTEMS, System

HERE = Path(__file__).resolve().parent
WINGET = "1.10.0"


def install_sh(project: Project, sums: dict[str, str]) -> str:
    """The installer for Linux and macOS. `sums` are the SHA-256 of the archives, by the triple of their system."""
    rows = [f"    {triple}) echo {sum} ;;" for triple, sum in sums.items() if "windows" not in triple]
    return _filled("install.sh", project).replace("@CHECKSUMS@", "\n".join(rows))


def install_ps1(project: Project, sums: dict[str, str]) -> str:
    """The installer for Windows."""
    return _filled("install.ps1", project).replace("@CHECKSUM@", sums["x86_64-pc-windows-gnu"])


def homebrew(project: Project, sums: dict[str, str]) -> str:
    """A formula that installs the archived program."""

    def block(target: str) -> str:
        system = SYSTEMS[target]
        return f'      url "{_url(project, system)}"\n      sha256 "{sums[system.triple]}"\n'

    return (
        "class Pintle < Formula\n"
        f'  desc "{project.description.removeprefix("A ").capitalize().replace("json-rpc", "JSON-RPC")}"\n'
        f'  homepage "{project.repository}"\n'
        f'  version "{project.version}"\n'
        f'  license any_of: ["MIT", "Apache-2.0"]\n\n'
        "  on_macos do\n"
        f"    on_arm do\n{block('aarch64-apple-darwin')}    end\n"
        f"    on_intel do\n{block('x86_64-apple-darwin')}    end\n"
        "  end\n\n"
        "  on_linux do\n"
        f"    on_arm do\n{block('aarch64-unknown-linux-musl')}    end\n"
        f"    on_intel do\n{block('x86_64-unknown-linux-musl')}    end\n"
        "  end\n\n"
        "  def install\n"
        '    bin.install "pintle"\n'
        '    man1.install Dir["man/*.1"]\n'
        '    bash_completion.install "completions/pintle.bash" => "pintle"\n'
        '    zsh_completion.install "completions/_pintle"\n'
        '    fish_completion.install "completions/pintle.fish"\n'
        "  end\n\n"
        "  test do\n"
        '    assert_match version.to_s, shell_output("#{bin}/pintle --version")\n'
        '    assert_match "Turn completed", shell_output("#{bin}/pintle demo")\n'
        "  end\n"
        "end\n"
    )


def nix(project: Project, sums: dict[str, str]) -> str:
    """A derivation that installs the archived program."""
    names = {
        "x86_64-linux": "x86_64-unknown-linux-musl",
        "aarch64-linux": "aarch64-unknown-linux-musl",
        "aarch64-darwin": "aarch64-apple-darwin",
        "x86_64-darwin": "x86_64-apple-darwin",
    }
    rows = "".join(
        f'    {name} = {{ triple = "{triple}"; sha256 = "{sums[triple]}"; }};\n' for name, triple in names.items()
    )
    return (
        "# nix-build pintle.nix, or: environment.systemPackages = [ (pkgs.callPackage ./pintle.nix { }) ];\n"
        "{ pkgs ? import <nixpkgs> { }, lib ? pkgs.lib, stdenv ? pkgs.stdenv, fetchurl ? pkgs.fetchurl\n"
        ", installShellFiles ? pkgs.installShellFiles }:\n"
        "let\n"
        "  systems = {\n"
        f"{rows}"
        "  };\n"
        '  system = systems.${stdenv.hostPlatform.system} or (throw "pintle has no program for ${stdenv.hostPlatform.system}");\n'
        "in\n"
        "stdenv.mkDerivation rec {\n"
        f'  pname = "{project.name}";\n'
        f'  version = "{project.version}";\n'
        "  src = fetchurl {\n"
        f'    url = "{project.downloads}/pintle-${{version}}-${{system.triple}}.tar.gz";\n'
        "    sha256 = system.sha256;\n"
        "  };\n"
        "  nativeBuildInputs = [ installShellFiles ];\n"
        "  dontStrip = true;\n"
        "  installPhase = ''\n"
        "    install -D pintle $out/bin/pintle\n"
        "    installManPage man/*.1\n"
        "    installShellCompletion --bash completions/pintle.bash --zsh completions/_pintle --fish completions/pintle.fish\n"
        "  '';\n"
        "  meta = {\n"
        f'    description = "{project.description}";\n'
        f'    homepage = "{project.repository}";\n'
        "    license = with lib.licenses; [ mit asl20 ];\n"
        '    mainProgram = "pintle";\n'
        "    platforms = builtins.attrNames systems;\n"
        "  };\n"
        "}\n"
    )


def winget(project: Project, sums: dict[str, str]) -> dict[str, str]:
    """The three files of a package of winget, by name."""
    system = SYSTEMS["x86_64-pc-windows-gnu"]
    identity = "Pintle.Pintle"
    folder = f"pintle-{project.version}-{system.triple}"

    def file(kind: str, lines: str) -> str:
        return (
            f"# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{WINGET}.schema.json\n"
            f"PackageIdentifier: {identity}\n"
            f"PackageVersion: {project.version}\n"
            f"{lines}"
            f"ManifestType: {kind}\n"
            f"ManifestVersion: {WINGET}\n"
        )

    return {
        f"{identity}.yaml": file("version", "DefaultLocale: en-US\n"),
        f"{identity}.installer.yaml": file(
            "installer",
            "Platform:\n- Windows.Desktop\n"
            "MinimumOSVersion: 10.0.17763.0\n"
            "InstallerType: zip\n"
            "NestedInstallerType: portable\n"
            "NestedInstallerFiles:\n"
            f"- RelativeFilePath: {folder}\\pintle.exe\n"
            "  PortableCommandAlias: pintle\n"
            f"ReleaseDate: {project.date}\n"
            "Installers:\n- Architecture: x64\n"
            f"  InstallerUrl: {_url(project, system)}\n"
            f'  InstallerSha256: "{sums[system.triple].upper()}"\n',
        ),
        f"{identity}.locale.en-US.yaml": file(
            "defaultLocale",
            "PackageLocale: en-US\n"
            "Publisher: The pintle developers\n"
            "PackageName: pintle\n"
            f"PackageUrl: {project.repository}\n"
            f"License: {project.license}\n"
            f"ShortDescription: {project.description}\n",
        ),
    }


def _filled(name: str, project: Project) -> str:
    text = (HERE / name).read_text()
    return text.replace("@VERSION@", project.version).replace("@DOWNLOADS@", project.downloads)


def _url(project: Project, system: System) -> str:
    return f"{project.downloads}/{system.archive(project.version)}"
