package main

import "fmt"

func main() {
	var cases, rows, columns int
	var cell string
	fmt.Scan(&cases, &rows, &columns, &cell)
	if cell == "." {
		fmt.Println("Case #1: IMPOSSIBLE")
	} else {
		fmt.Println("Case #1: POSSIBLE")
		fmt.Println(cell)
	}
}
