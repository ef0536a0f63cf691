printf '\xef\xbb\xbf; Client\r\n[display]\r\ntimeout=30\r\ntitle=Gr\xc3\xbc\xc3\x9fe\r\n\r\n[network]\r\nhost=example.org\r\ntimeout=30\r\nproxy=\r\n\r\n[updates]\r\ntimeout=30' > client.ini
git -c core.autocrlf=false add client.ini
git commit -qm "The settings"
