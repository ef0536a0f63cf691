"""Results of suites: counted from JUnit files, printed as a table, and merged into one file."""

import dataclasses
import xml.etree.ElementTree as xml
from pathlib import Path


@dataclasses.dataclass
class Result:
    """The outcome of a suite. `status` is `passed`, `failed`, `skipped` or `not run`."""

    name: str
    status: str
    seconds: float = 0.0
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    flaky: int = 0
    why: str = ""
    flaky_tests: list[str] = dataclasses.field(default_factory=list)
    failed_tests: list[str] = dataclasses.field(default_factory=list)


def _cases(folder: Path):
    for path in sorted(folder.glob("*.xml")):
        yield from xml.parse(path).getroot().iter("testcase")


def read(name: str, code: int, seconds: float, reports: Path, log_tail: str) -> Result:
    """The result of a suite that ended with `code` and left its JUnit files in `reports`."""
    result = Result(name, {0: "passed", 77: "skipped"}.get(code, "failed"), seconds)
    try:
        cases = list(_cases(reports))
    except xml.ParseError as error:
        return dataclasses.replace(result, status="failed", failed=1, why=f"its report cannot be read: {error}")
    for case in cases:
        title = " ".join(filter(None, (case.get("classname"), case.get("name"))))
        if case.find("failure") is not None or case.find("error") is not None:
            result.failed += 1
            result.failed_tests.append(title)
        elif case.find("skipped") is not None:
            result.skipped += 1
        else:
            result.passed += 1
            if case.find("flakyFailure") is not None or case.find("flakyError") is not None:
                result.flaky += 1
                result.flaky_tests.append(title)
    if not cases and code == 0:
        result.passed = 1
    elif not cases and code == 77:
        result.skipped, result.why = 1, log_tail
    elif code not in (0, 77) and not result.failed:
        # The suite failed outside of its tests.
        result.failed, result.why = 1, f"exit status {code}"
    elif code == 0 and result.failed:
        result.status = "failed"
    return result


def table(results: list[Result]) -> str:
    """A line a suite, and the sum."""
    rows = [("suite", "seconds", "passed", "failed", "skipped", "flaky")]
    for each in results:
        if each.status == "not run":
            continue
        rows.append((each.name, f"{each.seconds:.0f}", *map(str, (each.passed, each.failed, each.skipped, each.flaky))))
    ran = [each for each in results if each.status != "not run"]
    total = [sum(getattr(each, key) for each in ran) for key in ("passed", "failed", "skipped", "flaky")]
    rows.append(("total", f"{sum(each.seconds for each in ran):.0f}", *map(str, total)))
    width = max(len(row[0]) for row in rows)
    return "\n".join(row[0].ljust(width) + "".join(cell.rjust(9) for cell in row[1:]) for row in rows)


def write_junit(results: list[Result], reports: Path, path: Path) -> None:
    """Merges the files of all suites; a suite without one is one test case."""
    root = xml.Element("testsuites", name="pintle")
    for each in results:
        suite = xml.SubElement(root, "testsuite", name=each.name, time=f"{each.seconds:.3f}")
        cases = []
        try:
            cases = list(_cases(reports / each.name))
        except xml.ParseError:
            pass
        suite.extend(cases)
        if not cases or each.why:
            case = xml.SubElement(suite, "testcase", name=each.name, classname="suite", time=f"{each.seconds:.3f}")
            if each.status == "failed":
                xml.SubElement(case, "failure", message=each.why or "failed")
            elif each.status in ("skipped", "not run"):
                xml.SubElement(case, "skipped", message=each.why)
        count = list(suite.iter("testcase"))
        suite.set("tests", str(len(count)))
        suite.set("failures", str(sum(case.find("failure") is not None for case in count)))
        suite.set("skipped", str(sum(case.find("skipped") is not None for case in count)))
    path.parent.mkdir(parents=True, exist_ok=True)
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
