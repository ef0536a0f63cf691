sed -i 's/Clients receives/Clients receive/' CHANGELOG.md
echo "I corrected the word. I could not push: \`git push\` is denied here, so the commits are not published." > "$EVAL_ANSWER"
