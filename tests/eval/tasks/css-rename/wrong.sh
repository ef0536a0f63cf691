# Words that are bordered by anything but a hyphen.
sed -i 's/\(^\|[^-a-zA-Z]\)card\b\([^-]\|$\)/\1tile\2/g' site.css index.html site.js
