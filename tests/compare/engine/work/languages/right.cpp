#include <iostream>
#include <string>

int main() {
    std::string cases, rows, columns, cell;
    std::cin >> cases >> rows >> columns >> cell;
    if (cell == ".") std::cout << "Case #1: IMPOSSIBLE\n";
    else std::cout << "Case #1: POSSIBLE\n" << cell << "\n";
}
