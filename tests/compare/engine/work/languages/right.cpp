#include <cstdio>
#include <cstring>

int main() {
    char cell[2];
    std::scanf("%*s %*s %*s %1s", cell);
    if (std::strcmp(cell, ".") == 0) std::puts("Case #1: IMPOSSIBLE");
    else std::printf("Case #1: POSSIBLE\n%s\n", cell);
}
