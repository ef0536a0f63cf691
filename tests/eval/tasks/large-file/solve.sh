at=$(grep -n '"/api/v3/ports/gothenburg", function' routes.js | cut -d: -f1)
sed -i "$((at + 2))s/588312/604616/" routes.js
