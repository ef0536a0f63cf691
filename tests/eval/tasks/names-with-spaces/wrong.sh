# Words split, and a name that is a pattern.
for file in $(find notes -name '*.md'); do
  [ -f "$file" ] || continue
  year=$(grep -m1 -o 'date: [0-9]*' "$file" | cut -d' ' -f2)
  mkdir -p "archive/$year"
  mv "$file" "archive/$year/"
done
mkdir -p archive
(cd archive && find . -name '*.md' | sed 's|^\./||' | sort > index.txt)
