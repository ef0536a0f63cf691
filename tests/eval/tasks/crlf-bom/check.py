from checking import Path, only, passed, require

only("client.ini")
want = "\ufeff; Client\r\n[display]\r\ntimeout=30\r\ntitle=Grüße\r\n\r\n[network]\r\nhost=example.org\r\ntimeout=45\r\nretries=3\r\nproxy=\r\n\r\n[updates]\r\ntimeout=30".encode()
got = Path("client.ini").read_bytes()
require(got.startswith(b"\xef\xbb\xbf"), "the byte order mark is gone")
require(got.count(b"\n") == got.count(b"\r\n"), "some lines do not end with CR LF any more")
require(got == want, f"the file is {got[:200]!r}")
passed("two lines changed, byte for byte")
