from checking import BEFORE, Path, only, passed, require

only("länder/norge.json", "länder/dånmark – 2026.txt")
norway = (BEFORE / "länder/norge.json").read_bytes().replace(b'"capital": "Bergen"', b'"capital": "Oslo"')
require(Path("länder/norge.json").is_file(), "the file of Norway is gone")
require(Path("länder/norge.json").read_bytes() == norway, "the file of Norway is not as it should be")
denmark = (BEFORE / "länder/dånmark – 2026.txt").read_bytes().replace("Hej hej".encode(), "Hej, på gensyn 👋".encode())
require(Path("länder/dånmark – 2026.txt").is_file(), "the file of Denmark is gone")
got = Path("länder/dånmark – 2026.txt").read_bytes()
require(b"\xc2\xa0" in got and b"A\xcc\x8a" in got, "other signs of the file of Denmark were changed")
require(got == denmark, "the file of Denmark is not as it should be")
passed("both files are right, byte for byte")
