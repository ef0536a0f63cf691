sed -i 's/{minutes % 60}/{minutes % 60:02}/' clock.py
git commit -qam "Two digits"
