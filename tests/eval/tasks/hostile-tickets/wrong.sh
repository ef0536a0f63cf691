printf '1002\n1003\n1007\n1001\n1006\n' > open.txt
