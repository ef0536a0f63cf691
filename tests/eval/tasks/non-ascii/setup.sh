mkdir -p länder
printf '{\n  "name": "Norge — Noreg",\n  "capital": "Bergen",\n  "twin": "Bergen",\n  "greeting": "Hei på deg\\u0021",\n  "script": "Blåbærsyltetøy “æøå”"\n}\n' > länder/norge.json
printf 'namn = Danmark\nhälsning = Hej hej\nvaluta = kr\xc2\xa0(DKK)\nnot = A\xcc\x8a och \xc3\x85 är olika här\n' > "länder/dånmark – 2026.txt"
printf 'latin1: \xe5\xe4\xf6\n' > länder/gammal.txt
git add -A && git commit -qm "Länder"
