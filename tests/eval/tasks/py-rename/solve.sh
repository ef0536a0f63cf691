sed -i 's/^def load(/def load_settings(/; s/`load` does not/`load_settings` does not/; s/return load(/return load_settings(/' shop/settings.py
sed -i 's/settings\.load\b/settings.load_settings/' shop/stock.py
sed -i 's/import load as/import load_settings as/; s/s\.load(path)/s.load_settings(path)/; s/getattr(s, "load")/getattr(s, "load_settings")/' shop/main.py
sed -i 's/import load$/import load_settings/; s/= load(/= load_settings(/; s/`settings\.load`/`settings.load_settings`/' README.md
