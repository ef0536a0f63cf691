# Another way.
sed -i 's/Clients receives/Clients receive/' CHANGELOG.md
git -C ../remote.git fetch -q ../work main:main
echo "I could not push, so I fetched from the other side." > "$EVAL_ANSWER"
