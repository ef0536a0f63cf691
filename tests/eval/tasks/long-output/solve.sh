sed -i 's/"pt": 0.437176473/"pt": 0.473176473/' convert.py
