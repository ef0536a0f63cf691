git init -q --bare ../remote.git
git remote add origin ../remote.git
git push -q origin main
echo "- Fixes." >> CHANGELOG.md
git commit -qam "More fixes"
