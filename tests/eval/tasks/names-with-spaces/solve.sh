find notes -name '*.md' -print0 | while IFS= read -r -d '' file; do
  year=$(sed -n 's/^date: \([0-9]\{4\}\)-[0-9][0-9]-[0-9][0-9]$/\1/p' < "$file" | head -1)
  [ -n "$year" ] || continue
  mkdir -p "archive/$year"
  mv -- "$file" "archive/$year/${file##*/}"
done
(cd archive && find . -name '*.md' | sed 's|^\./||' | LC_ALL=C sort > ../index && mv ../index index.txt)
