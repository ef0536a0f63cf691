#!/usr/bin/env python3
"""Posts what the agent made, with rights that the agent never had: a comment, and a branch with its patch.

All that the agent's job left is untrusted: whoever can write to the model can write there. So this program reads it as data, runs none of it,
bounds its size, and refuses patches that touch what runs in CI. Number, commit and mode were made by the gate, before the agent ran.

Environment:
  PINTLE_OUT         the folder with result.json, changes.patch and report.md
  PINTLE_MODE        trusted or untrusted; only trusted patches are pushed
  PINTLE_NUMBER      the issue or request to comment on; empty for none
  PINTLE_SHA         the commit that the patch is for; empty for HEAD
  PINTLE_POST_TOKEN  the token that may comment and push
  PINTLE_RUN         a number that makes the branch's name unique
  GitHub: GITHUB_API_URL, GITHUB_REPOSITORY · GitLab: CI_API_V4_URL, CI_PROJECT_ID
The current folder is a clean checkout, whose remote `origin` takes the branch.
"""

import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

MAX_RESULT = 16 * 1024 * 1024
MAX_PATCH = 5 * 1024 * 1024
MAX_COMMENT = 60_000
# What CI runs, or what changes how git works: a person writes it, or nobody.
PROTECTED = re.compile(
    r"(^|/)(\.github|\.gitlab|\.circleci|\.ci|\.git|\.husky)(/|$)|(^|/)(\.gitlab-ci\.yml|\.gitmodules|\.gitattributes|Jenkinsfile|CODEOWNERS)$",
    re.IGNORECASE,
)


def main():
    out = Path(os.environ["PINTLE_OUT"])
    number = digits("PINTLE_NUMBER")
    forge = GitLab() if "CI_API_V4_URL" in os.environ else GitHub()
    result = read_result(out / "result.json")
    branch, why_not = None, None
    patch = read(out / "changes.patch", MAX_PATCH)
    if patch and result:
        if os.environ.get("PINTLE_MODE") == "trusted":
            branch, why_not = push(patch)
        else:
            why_not = "patches for the code of strangers are not pushed"
    link = None
    if branch:
        link = forge.request_merge(branch, f"pintle: change for #{number}" if number else "pintle: change")
    body = comment(result, read(out / "report.md", MAX_COMMENT), branch, link, why_not)
    if number:
        forge.comment(number, body)
    else:
        print(body)


def digits(name):
    value = os.environ.get(name, "")
    if not re.fullmatch(r"[0-9]{0,18}", value):
        raise SystemExit(f"{name} is no number")
    return value


def read(path, most):
    """Reads a file of the agent's job: no link, not too large."""
    if path.is_symlink() or not path.is_file():
        return None
    if path.stat().st_size > most:
        print(f"{path.name} is larger than {most} bytes, and is left out", file=sys.stderr)
        return None
    return path.read_bytes()


def read_result(path):
    try:
        result = json.loads(read(path, MAX_RESULT) or b"")
    except ValueError:
        return None
    is_result = isinstance(result, dict) and result.get("type") == "result"
    return result if is_result else None


def git(*args, **more):
    # Neither hooks of the checkout nor settings that it brings.
    fixed = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.ext.allow=never"]
    return subprocess.run([*fixed, *args], check=True, capture_output=True, **more)


def push(patch):
    """Commits the patch to a branch of its own; returns its name, or why there is none."""
    run = digits("PINTLE_RUN") or "0"
    number = digits("PINTLE_NUMBER")
    branch = f"pintle/{number or 'run'}-{run}"
    sha = os.environ.get("PINTLE_SHA", "")
    if not re.fullmatch(r"([0-9a-f]{40})?", sha):
        raise SystemExit("PINTLE_SHA is no commit")
    try:
        listed = git("apply", "--numstat", "-z", "-", input=patch).stdout
        git("checkout", "--quiet", "-B", branch, sha or "HEAD")
        git("apply", "--index", "--whitespace=nowarn", "-", input=patch)
        staged = git("diff", "--cached", "--raw", "-z", "--no-renames", "--abbrev=40").stdout
    except subprocess.CalledProcessError as error:
        return None, "the patch does not apply: " + error.stderr.decode("utf-8", "replace")[:500]
    if not listed:
        return None, "the patch is empty"
    fields = staged.decode("utf-8", "surrogateescape").split("\0")
    for facts, path in zip(fields[::2], fields[1::2]):
        mode = facts.split(" ")[1]
        if PROTECTED.search(path):
            return None, f"the patch touches {visible(path)}, which only people change"
        if mode in ("120000", "160000"):
            return None, f"the patch makes {visible(path)} a link"
    author = ["-c", "user.name=pintle", "-c", "user.email=pintle@users.noreply.invalid"]
    git(*author, "commit", "--quiet", "--no-verify", "--message", f"pintle: change for #{number}" if number else "pintle: change")
    try:
        git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")
    except subprocess.CalledProcessError as error:
        return None, "the branch was not pushed: " + error.stderr.decode("utf-8", "replace")[:500]
    return branch, None


def visible(text):
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text).replace("`", "'")


def harmless(text):
    """The model's Markdown without what would act: mentions, images, markup, and commands to bots."""
    text = "".join(c for c in text if c in "\n\t" or c.isprintable())
    text = text.replace("<", "&lt;").replace("![", "!\\[")
    text = re.sub(r"@(?=\w)", "@\u200b", text)
    return re.sub(r"(?m)^(\s*)/", r"\1\\/", text)


def comment(result, report, branch, link, why_not):
    if result is None:
        return "pintle left no result. The log of the job says more."
    stop, code = visible(str(result.get("stop"))), result.get("exitCode")
    text = str(result.get("text") or "")
    if report and result.get("findings"):
        # The report hides mentions in markup, which is no markup any more below.
        text += "\n\n" + report.decode("utf-8", "replace").replace("<span>@</span>", "@")
    lines = [harmless(text)[: MAX_COMMENT - 4000].strip() or "(no answer)", ""]
    if branch:
        where = f" ({link})" if link else ""
        lines.append(f"Its change is in the branch `{branch}`{where}.")
    elif why_not:
        lines.append(f"Its change was not pushed: {harmless(why_not)}")
    if code != 0:
        lines.append(f"It ended with `{stop}` (code {int(code or 0)}).")
    cost = result.get("costNanoUsd")
    paid = f", ${cost / 1e9:.4f}" if isinstance(cost, int) else ""
    lines.append(f"<sub>pintle: {int(result.get('steps') or 0)} steps{paid}</sub>")
    return "\n".join(lines)


class GitHub:
    def comment(self, number, body):
        self.post(f"issues/{number}/comments", {"body": body})

    def request_merge(self, branch, title):
        base = os.environ.get("PINTLE_BASE", "")
        if not base:
            return None
        made = self.post("pulls", {"title": title, "head": branch, "base": base, "body": "Made by pintle. Read it before you merge it.", "draft": True})
        return made.get("html_url")

    def post(self, path, body):
        url = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/{path}"
        return send(url, body, {"Authorization": f"Bearer {os.environ['PINTLE_POST_TOKEN']}", "Accept": "application/vnd.github+json"})


class GitLab:
    def comment(self, number, body):
        self.post(f"merge_requests/{number}/notes", {"body": body})

    def request_merge(self, branch, title):
        base = os.environ.get("PINTLE_BASE", "")
        if not base:
            return None
        made = self.post("merge_requests", {"title": f"Draft: {title}", "source_branch": branch, "target_branch": base})
        return made.get("web_url")

    def post(self, path, body):
        url = f"{os.environ['CI_API_V4_URL']}/projects/{digits('CI_PROJECT_ID')}/{path}"
        return send(url, body, {"PRIVATE-TOKEN": os.environ["PINTLE_POST_TOKEN"]})


def send(url, body, headers):
    request = urllib.request.Request(
        url,
        data=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "User-Agent": "pintle", **headers},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


if __name__ == "__main__":
    sys.exit(main())
