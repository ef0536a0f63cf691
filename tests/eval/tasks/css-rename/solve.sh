sed -i 's/\.card\( {\|:hover\|:focus\|\.wide\)/.tile\1/g' site.css
sed -i "s/class=\"card wide\"/class=\"tile wide\"/; s/class='link card'/class='link tile'/" index.html
sed -i 's/All("\.card")/All(".tile")/; s/"card new"/"tile new"/; s/> \.card\.new/> .tile.new/; s/contains("card")/contains("tile")/' site.js
