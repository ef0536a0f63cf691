# Every word.
sed -i 's/\bload\b/load_settings/g' shop/*.py README.md
sed -i 's/json\.load_settings/json.load/' shop/settings.py
