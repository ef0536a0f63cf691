# bytes up to which a file is summed; on stdin paths. Prints a line for each: its size and checksum, `-` for a checksum that was not made;
# `gone` where there is nothing, `-` where it is not a file that can be read.
xargs -0 sh -c 'max=$1
shift
for file; do
  if [ -f "$file" ] && [ -r "$file" ] && size=$(wc -c <"$file"); then
    size=$((size)) sum=-
    if [ "$size" -le "$max" ]; then
      sum=$(cksum <"$file")
      sum=${sum%% *}
    fi
    echo "$size $sum"
  elif [ -e "$file" ] || [ -L "$file" ]; then
    echo -
  else
    echo gone
  fi
done' sh "$1"
exit 0
