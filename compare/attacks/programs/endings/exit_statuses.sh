# A program that ends with an exit status other than 0 is a row CRASH that names the status.
exit "$1"
