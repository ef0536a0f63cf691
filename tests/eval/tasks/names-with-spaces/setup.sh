mkdir -p "notes/on board" notes/'100% sure'
note() { printf '# %s\n\ndate: %s\n\nText about %s.\n' "$1" "$2" "$1" > "notes/$3"; }
note Sails 2024-03-01 "sails and ropes.md"
note Anchor 2025-07-19 "on board/anchor (heavy).md"
note Wind 2024-12-31 "on board/-wind.md"
note Tide 2025-01-01 "100% sure/tide's height.md"
note Star 2023-05-05 "100% sure/*.md"
printf '# Draft\n\nThe date: 2024-01-01 is inside of a line.\n' > "notes/my draft.md"
printf 'date: 2022-02-02\n' > "notes/not markdown.txt"
git add -A && git commit -qm "Notes"
