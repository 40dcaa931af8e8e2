#include <math.h>
#include <stdio.h>

int main(void) {
    int cases, rows, columns;
    char cell;
    if (scanf("%d %d %d %c", &cases, &rows, &columns, &cell) != 4) return (int)sqrt(cases);
    if (cell == '.') printf("Case #1: IMPOSSIBLE\n");
    else printf("Case #1: POSSIBLE\n%c\n", cell);
    return 0;
}
