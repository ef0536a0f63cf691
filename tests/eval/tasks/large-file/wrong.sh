# Each Gothenburg.
sed -i 's/588312/604616/' routes.js
