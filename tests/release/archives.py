"""Archives whose bytes depend on their content alone: sorted names, one time, no owner."""

import gzip
import hashlib
import io
import tarfile
import zipfile
from dataclasses import dataclass
from datetime import datetime, timezone


# Of the sizes of programs, higher levels save a thousandth for three times the time.
LEVEL = 6


@dataclass(frozen=True)
class Entry:
    """A file of an archive."""

    content: bytes
    is_program: bool = False

    @property
    def mode(self) -> int:
        return 0o755 if self.is_program else 0o644


def tar_gz(entries: dict[str, Entry], epoch: int) -> bytes:
    """The entries, by path, with the folders that they are in."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted({*entries, *_folders(entries)}):
            info = tarfile.TarInfo(path)
            info.mtime = epoch
            entry = entries.get(path)
            if entry is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(info)
            else:
                info.size, info.mode = len(entry.content), entry.mode
                tar.addfile(info, io.BytesIO(entry.content))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=LEVEL, fileobj=packed, mtime=epoch) as file:
        file.write(raw.getvalue())
    return packed.getvalue()


def zip_file(entries: dict[str, Entry], epoch: int) -> bytes:
    """The entries, by path. Zip files know no time zone: the time is UTC."""
    packed = io.BytesIO()
    at = datetime.fromtimestamp(epoch, timezone.utc).timetuple()[:6]
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as file:
        for path in sorted(entries):
            info = zipfile.ZipInfo(path, at)
            # The same bytes on every system.
            info.create_system = 3
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100000 | entries[path].mode) << 16
            file.writestr(info, entries[path].content)
    return packed.getvalue()


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _folders(entries: dict[str, Entry]) -> set[str]:
    parts = [path.split("/") for path in entries]
    return {"/".join(each[:end]) for each in parts for end in range(1, len(each))}
