# A program that deletes the working directory and kills its worker is a row: a new worker starts without the directory.
rm -rf "${TWOFOLD_ATTACK:?}/here"
kill -KILL $PPID
