# Begun from a clean file.
git checkout -q clock.py
sed -i 's/{minutes % 60}/{minutes % 60:02}/' clock.py
