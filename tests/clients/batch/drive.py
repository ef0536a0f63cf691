"""Runs the files of editors/ci as a CI would, and checks what the stand-in for the API gets and what the bare remote holds."""

import json
import os
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

CI = Path(sys.argv[1]).resolve()
ROOT = Path(sys.argv[2]).resolve()
PINTLE = os.environ["PINTLE_BIN"]
# Whoever reads this as a command, an expression or YAML leaves a file.
EVIL = "x\"; touch PWNED; $(touch PWNED) `touch PWNED` ${{ github.token }} '\n::set-output name=run::true\nrun=true\n- !!python/object:os.system touch"


class Api(BaseHTTPRequestHandler):
    """GitHub and GitLab, as far as the scripts know them."""

    permissions = {"writer": "write", "owner": "admin", "reader": "read"}
    pulls = {}
    posted = []

    def do_GET(self):
        found = None
        if match := re.fullmatch(r"/repos/o/r/collaborators/([^/]+)/permission", self.path):
            permission = self.permissions.get(match[1])
            found = permission and {"permission": permission}
        elif match := re.fullmatch(r"/repos/o/r/pulls/(\d+)", self.path):
            found = self.pulls.get(int(match[1]))
        self.answer(200 if found else 404, found or {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        token = self.headers.get("Authorization") or self.headers.get("PRIVATE-TOKEN")
        self.posted.append((self.path, body, token))
        self.answer(201, {"html_url": "http://host/pull/8", "web_url": "http://host/mr/8"})

    def answer(self, status, body):
        body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
URL = f"http://127.0.0.1:{server.server_port}"


def run(command, cwd, env, code=0):
    clean = {key: os.environ[key] for key in ("PATH", "HOME", "PINTLE_HOME", "PYTHONDONTWRITEBYTECODE")}
    done = subprocess.run(command, cwd=cwd, env={**clean, **env}, capture_output=True, text=True, timeout=120)
    assert code is None or done.returncode == code, (command, done)
    assert not list(ROOT.rglob("PWNED")), "text of an event was run"
    return done


def git(*args, cwd):
    author = ["-c", "user.name=t", "-c", "user.email=t@t.invalid", "-c", "init.defaultBranch=main"]
    return subprocess.run(["git", *author, *args], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


class Place:
    """A bare remote, a checkout for each job, and the runner's folders."""

    count = 0

    def __init__(self):
        Place.count += 1
        self.folder = ROOT / f"place-{Place.count}"
        self.folder.mkdir()
        self.remote = self.folder / "remote.git"
        seed = self.folder / "seed"
        git("init", "--quiet", "--bare", str(self.remote), cwd=ROOT)
        git("init", "--quiet", str(seed), cwd=ROOT)
        (seed / "greet.txt").write_text("helo\n")
        # What a repository can bring, and nobody may start.
        git("add", ".", cwd=seed)
        git("commit", "--quiet", "-m", "first", cwd=seed)
        git("push", "--quiet", str(self.remote), "HEAD:refs/heads/main", cwd=seed)
        git("symbolic-ref", "HEAD", "refs/heads/main", cwd=self.remote)
        self.sha = git("rev-parse", "HEAD", cwd=seed)
        self.out = self.folder / "temp" / "pintle"
        Api.posted.clear()

    def checkout(self, name):
        git("clone", "--quiet", str(self.remote), name, cwd=self.folder)
        return self.folder / name

    def branches(self):
        return set(git("for-each-ref", "--format=%(refname:short)", cwd=self.remote).split()) - {"main"}

    def script(self, *replies):
        path = self.folder / "script.json"
        path.write_text(json.dumps({"replies": list(replies)}))
        return str(path)


def say(text):
    return {"blocks": [{"text": text}]}


def call(tool, **arguments):
    return {"blocks": [{"tool": tool, "arguments": arguments}]}


FIX = call("edit", path="greet.txt", oldText="helo", newText="hello")


def action(name):
    return yaml.safe_load((CI / "github" / name / "action.yml").read_text())


def run_steps(name, values, env, cwd, codes):
    """Runs the shell steps of a composite action, with the expressions that it has replaced by their values."""
    outputs = Path(env["GITHUB_OUTPUT"])
    for step in action(name)["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), "an expression in a shell script"
        if "run" not in step:
            continue
        found = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
        known = {**values, **{f"steps.gate.outputs.{key}": value for key, value in found.items()}}
        if step.get("if") and found.get("run") != "true":
            continue

        def value(match):
            return known[match[1].strip()]

        own = {key: re.sub(r"\$\{\{(.*?)\}\}", value, text) for key, text in step.get("env", {}).items()}
        where = {"GITHUB_ACTION_PATH": str(CI / "github" / name)}
        run(["bash", "-e", "-o", "pipefail", "-c", step["run"]], cwd, {**env, **own, **where}, codes.pop(0))
    return dict(line.split("=", 1) for line in outputs.read_text().splitlines())


def github_agent(place, name, event, script, code=0, permission="auto-edit"):
    """The agent's job; returns its outputs."""
    (place.folder / "event.json").write_text(json.dumps(event))
    outputs = place.folder / "outputs"
    outputs.write_text("")
    env = {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_EVENT_PATH": str(place.folder / "event.json"),
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_API_URL": URL,
        "GITHUB_OUTPUT": str(outputs),
        "PINTLE_BIN": PINTLE,
    }
    values = {
        "inputs.token": "reads",
        "inputs.prompt": "Review it.",
        "inputs.permission": permission,
        "inputs.options": f"--script {script}",
        "runner.temp": str(place.folder / "temp"),
    }
    return run_steps("agent", values, env, place.checkout("agent"), [0, code])


def github_post(place, outputs, base="main"):
    nothing = place.folder / "nothing"
    nothing.write_text("")
    env = {"GITHUB_REPOSITORY": "o/r", "GITHUB_API_URL": URL, "GITHUB_OUTPUT": str(nothing)}
    values = {f"inputs.{key}": outputs.get(key, "") for key in ("mode", "number", "sha")}
    values |= {"inputs.base": base, "inputs.token": "posts", "github.run_id": "77", "runner.temp": str(place.folder / "temp")}
    run_steps("post", values, env, place.checkout("post"), [0])
    return list(Api.posted)


def comment_event(login, body="/pintle fix the greeting", number=5, **issue):
    return {
        "action": "created",
        # Also of people who may only read.
        "comment": {"body": body, "user": {"login": login}, "author_association": "COLLABORATOR"},
        "issue": {"number": number, "title": EVIL, "body": EVIL, **issue},
    }


def test_a_comment_of_somebody_who_may_push_becomes_a_branch_and_an_answer():
    place = Place()
    answer = "Fixed. @someone <img src=x> ![p](http://host/leak) \n/approve \x1b[31m"
    outputs = github_agent(place, "issue_comment", comment_event("writer"), place.script(FIX, say(answer)))
    assert outputs == {"run": "true", "mode": "trusted", "number": "5", "sha": "", "base": ""}, outputs
    task = (place.out / "task.md").read_text()
    assert task.startswith("fix the greeting\n") and "\n> x\"; touch PWNED" in task, task
    (pull, comment) = github_post(place, outputs)
    assert pull[0] == "/repos/o/r/pulls" and pull[2] == "Bearer posts", pull
    assert (pull[1]["head"], pull[1]["base"], pull[1]["draft"]) == ("pintle/5-77", "main", True), pull
    assert comment[0] == "/repos/o/r/issues/5/comments", comment
    body = comment[1]["body"]
    assert "Fixed." in body and "pintle/5-77" in body and "http://host/pull/8" in body, body
    for part in ("@someone", "<img", "![", "\n/approve", "\x1b"):
        assert part not in body, (part, body)
    assert place.branches() == {"pintle/5-77"}
    assert git("show", "pintle/5-77:greet.txt", cwd=place.remote) == "hello"
    result = json.loads((place.out / "result.json").read_text())
    assert (result["type"], result["exitCode"]) == ("result", 0)


def test_nobody_else_starts_it():
    for event in (
        comment_event("reader"),
        comment_event("nobody"),
        comment_event("../../x"),
        comment_event("writer", body="see /pintle"),
        comment_event("writer", body="/pintlex do"),
        {**comment_event("writer"), "action": "edited"},
    ):
        place = Place()
        outputs = github_agent(place, "issue_comment", event, place.script())
        assert outputs == {"run": "false"} and not place.out.exists(), (event, outputs)


def test_the_code_of_strangers_is_read_only_and_never_pushed():
    place = Place()
    pull = {"number": 6, "title": EVIL, "body": None, "head": {"sha": place.sha, "ref": EVIL, "repo": {"full_name": "stranger/r"}}, "base": {"sha": place.sha}}
    Api.pulls[6] = pull
    replies = place.script(FIX, call("bash", command="touch PWNED"), say("I could not."))
    event = comment_event("owner", number=6, pull_request={})
    outputs = github_agent(place, "issue_comment", event, replies, code=4, permission="full")
    assert outputs == {"run": "true", "mode": "untrusted", "number": "6", "sha": place.sha, "base": place.sha}, outputs
    result = json.loads((place.out / "result.json").read_text())
    assert result["denials"] and result["changes"]["files"] == [] and result["commands"] == [], result
    assert (place.folder / "agent" / "greet.txt").read_text() == "helo\n"
    # Whoever writes a patch there all the same gets nothing pushed.
    (place.out / "changes.patch").write_text("diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n")
    (comment,) = github_post(place, outputs, base="")
    assert "I could not." in comment[1]["body"] and "are not pushed" in comment[1]["body"], comment
    assert "`denied` (code 4)" in comment[1]["body"] and place.branches() == set()
    outputs = github_agent(Place(), "pull_request", {"pull_request": pull}, replies)
    assert outputs == {"run": "false"}, "a fork's own event has no rights"
    own = {**pull, "head": {**pull["head"], "repo": {"full_name": "o/r"}}}
    place = Place()
    own["head"]["sha"], own["base"] = place.sha, {"sha": place.sha}
    outputs = github_agent(place, "pull_request", {"pull_request": own}, place.script(say("Good.")))
    assert outputs["mode"] == "trusted" and (place.out / "task.md").read_text().startswith("Review it.")


def test_findings_are_in_the_comment_and_in_a_report():
    place = Place()
    pull = {"number": 6, "title": "t", "body": None, "head": {"sha": place.sha, "ref": "x", "repo": {"full_name": "stranger/r"}}, "base": {"sha": place.sha}}
    Api.pulls[6] = pull
    message = "A typo, @all: <b>helo</b>"
    finding = call("report_finding", path="greet.txt", line=1, severity="warning", rule="typo", message=message, fix="hello")
    event = comment_event("owner", number=6, pull_request={})
    outputs = github_agent(place, "issue_comment", event, place.script(finding, say("One typo.")))
    sarif = json.loads((place.out / "report.sarif").read_text())
    (found,) = sarif["runs"][0]["results"]
    assert (found["ruleId"], found["message"]["text"]) == ("typo", message), found
    (comment,) = github_post(place, outputs, base="")
    body = comment[1]["body"]
    for part in ("One typo.", "warning: typo", "greet.txt:1", "```suggestion\nhello\n```"):
        assert part in body, (part, body)
    assert "@all" not in body and "<b>" not in body and "span" not in body, body


def test_patches_that_touch_what_ci_runs_are_refused():
    new = "diff --git a/{0} b/{0}\nnew file mode {1}\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n"
    for path, mode, why in (
        (".github/workflows/x.yml", "100644", "which only people change"),
        ("sub/.GitHub/x.yml", "100644", "which only people change"),
        (".gitlab-ci.yml", "100644", "which only people change"),
        ("a/.gitattributes", "100644", "which only people change"),
        ("link", "120000", "a link"),
        ("../outside", "100644", "does not apply"),
        (".git/hooks/pre-commit", "100755", "does not apply"),
    ):
        place = Place()
        place.out.mkdir(parents=True)
        (place.out / "result.json").write_text(json.dumps({"type": "result", "text": "done", "exitCode": 0, "stop": "done"}))
        (place.out / "changes.patch").write_text(new.format(path, mode))
        (comment,) = github_post(place, {"mode": "trusted", "number": "5", "sha": place.sha})
        assert why in comment[1]["body"] and place.branches() == set(), (path, comment)


def test_what_is_no_result_is_told_as_that():
    for content in ("", "{", "[]", '{"type":"header"}', None):
        place = Place()
        place.out.mkdir(parents=True)
        if content is None:
            (place.out / "result.json").symlink_to("/etc/passwd")
        else:
            (place.out / "result.json").write_text(content)
        (comment,) = github_post(place, {"mode": "trusted", "number": "5", "sha": ""})
        assert "left no result" in comment[1]["body"], (content, comment)


def test_the_workflow_gives_each_job_only_its_rights():
    workflow = yaml.safe_load((CI / "github" / "workflow.yml").read_text())
    agent, post = workflow["jobs"]["agent"], workflow["jobs"]["post"]
    assert workflow["permissions"] == {} and set(agent["permissions"].values()) == {"read"}
    assert "secrets." not in json.dumps(post) and "KEY" in json.dumps(agent)
    for step in agent["steps"] + post["steps"]:
        assert "${{" not in step.get("run", ""), step
    for name in ("agent", "post"):
        own = action(name)
        used = set(re.findall(r"inputs\.(\w+)", json.dumps(own)))
        assert used == set(own["inputs"]), (name, used)


def test_a_merge_request_of_gitlab():
    jobs = yaml.safe_load((CI / "gitlab" / "pintle.gitlab-ci.yml").read_text())
    for job in ("pintle:agent", "pintle:post"):
        # Variables with text of others are in no command of the template.
        assert all("$" not in line for line in jobs[job]["script"]), jobs[job]
    place = Place()
    tree = place.checkout("agent")
    common = {"CI_PROJECT_ID": "3", "CI_COMMIT_SHA": place.sha, "CI_MERGE_REQUEST_IID": "9", "CI_PIPELINE_ID": "12"}
    common |= {"CI_REPOSITORY_URL": str(place.remote), "CI_API_V4_URL": URL, "PINTLE_OUT": str(tree / ".pintle-out")}
    scripts = str(CI / "scripts")

    def job(name, code, **more):
        (line,) = jobs[name]["script"]
        run(line.replace("/opt/pintle/scripts", scripts).split(), tree, {**common, **more}, code)

    agent = {"PINTLE_BIN": PINTLE, "CI_MERGE_REQUEST_TITLE": EVIL, "CI_MERGE_REQUEST_DESCRIPTION": EVIL}
    agent |= {"PINTLE_PROMPT": jobs["variables"]["PINTLE_PROMPT"], "PINTLE_POST_TOKEN": "not for the agent"}
    agent["PINTLE_OPTIONS"] = f"--script {place.script(FIX, say('Fixed.'))}"
    job("pintle:agent", 0, CI_MERGE_REQUEST_SOURCE_PROJECT_ID="3", **agent)
    job("pintle:post", 0, PINTLE_POST_TOKEN="posts")
    ((path, body, token),) = Api.posted
    assert (path, token) == ("/projects/3/merge_requests/9/notes", "posts"), Api.posted
    assert "Fixed." in body["body"] and place.branches() == {"pintle/9-12"}, body
    # Of a fork.
    agent["PINTLE_OPTIONS"] = f"--script {place.script(FIX, say('No.'))}"
    git("checkout", "--quiet", ".", cwd=tree)
    job("pintle:agent", 4, CI_MERGE_REQUEST_SOURCE_PROJECT_ID="4", **agent)
    assert (tree / "greet.txt").read_text() == "helo\n"
    assert (tree / ".pintle-out" / "changes.patch").read_text() == ""


def test_make_and_jenkins():
    place = Place()
    tree = place.checkout("make")
    makefile = str(CI / "make" / "Makefile")
    env = {"PINTLE_BIN": PINTLE, "PINTLE_OPTIONS": f"--script {place.script(say('Looks good.'))}"}
    run(["make", "-s", "-f", makefile, "agent", f"OUT={place.out}"], tree, {**env, "TASK": EVIL})
    assert (place.out / "task.md").read_text() == EVIL + "\n"
    shown = run(["make", "-s", "-f", makefile, "post", f"OUT={place.out}"], tree, {})
    assert "Looks good." in shown.stdout, shown

    text = (CI / "jenkins" / "Jenkinsfile").read_text()
    (agent,) = re.findall(r"sh '''(.*?)'''", text, re.DOTALL)
    # As Groovy reads it.
    agent = agent.replace("\\\\", "\\")
    (post,) = re.findall(r"(?m)^\s+sh '([^'\n]+)'$", text)
    out = place.folder / "jenkins"
    env |= {"PINTLE_OUT": str(out), "PINTLE_CI": str(CI), "CHANGE_TITLE": EVIL}
    env["PINTLE_OPTIONS"] = f"--script {place.script(FIX, say('Fixed.'))}"
    run(["sh", "-xe", "-c", agent], tree, env)
    assert "touch PWNED" in (out / "task.md").read_text()
    env = {"PINTLE_OUT": str(tree / ".pintle-out"), "PINTLE_CI": str(CI), "PINTLE_MODE": "trusted"}
    env |= {"PINTLE_POST_TOKEN": "posts", "GITHUB_API_URL": URL, "GITHUB_REPOSITORY": "o/r", "CHANGE_ID": "4", "BUILD_NUMBER": "2"}
    fresh = place.checkout("fresh")
    run(["sh", "-xe", "-c", post], fresh, env)
    assert place.branches() == {"pintle/4-2"} and Api.posted[0][0] == "/repos/o/r/issues/4/comments"


def test_shards_as_a_job_of_kubernetes_and_an_array_of_slurm():
    place = Place()
    bin_folder = place.folder / "bin"
    bin_folder.mkdir()
    (bin_folder / "pintle").symlink_to(PINTLE)
    path = {"PATH": f"{bin_folder}:{os.environ['PATH']}"}
    tree = place.checkout("work")
    tasks = [{"id": f"t{n:02}", "prompt": f"task {n}"} for n in range(1, 14)]
    (tree / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    script = place.script(*[say("done")] * 20)
    spec = yaml.safe_load((CI / "kubernetes" / "batch.yaml").read_text())["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    (shards,) = [entry["value"] for entry in container["env"] if entry["name"] == "SHARDS"]
    assert int(shards) == spec["completions"]
    for index in range(spec["completions"]):
        command = container["command"] + ["--script", script]
        run(command, tree, {**path, "SHARDS": shards, "JOB_COMPLETION_INDEX": str(index)})
    array = (CI / "slurm" / "batch.sbatch").read_text()
    first, last = re.search(r"#SBATCH --array=(\d+)-(\d+)\n", array).groups()
    assert first == "1"
    for index in range(1, int(last) + 1):
        env = {**path, "SLURM_ARRAY_TASK_ID": str(index), "SLURM_ARRAY_TASK_COUNT": last, "SLURM_CPUS_PER_TASK": "2"}
        run(["bash", str(CI / "slurm" / "batch.sbatch"), "tasks.jsonl", "slurm", "--script", script], tree, env)
    tables = []
    for results in ("results", "slurm"):
        folders = [str(folder) for folder in sorted((tree / results).glob("shard-*"))]
        assert len(folders) == 4, folders
        done = run(["pintle", "batch", "merge", *folders, "--out", f"{results}-all", "--format", "json"], tree, path)
        summary = json.loads(done.stdout)
        assert (summary["tasks"], summary["done"]) == (13, 13), summary
        tables.append([(row["id"], row["stop"], row["steps"]) for row in summary["rows"]])
    assert tables[0] == tables[1]


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"  {name.removeprefix('test_').replace('_', ' ')}")
