// Beams as a contest program, right but for one defect, which a macro chooses.
// MIRROR: a beam that goes left or right into a '\' leaves it the wrong way, as in the submission that
// kimiyuki's write-up lost a round with. NO_TURRETS: boards without a turret are called POSSIBLE, as the
// P5297 write-up does: there the clause of a cell that nothing lights is an implication between turrets.
#include <bitset>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

const int most = 1024;  // literals: 2t says that turret t lies flat, 2t + 1 that it stands
int rows, columns;
vector<string> field;

enum Direction { LEFT, UP, RIGHT, DOWN };
const int down[] = {0, -1, 0, 1}, right_[] = {-1, 0, 1, 0};

int turned(char mirror, int direction) {
    if (mirror == '/') return (const int[]){DOWN, RIGHT, UP, LEFT}[direction];
#ifdef MIRROR
    return (const int[]){DOWN, LEFT, UP, RIGHT}[direction];
#else
    return (const int[]){UP, LEFT, DOWN, RIGHT}[direction];
#endif
}

bool shoot(int row, int column, int direction, vector<vector<vector<int>>>* lit, int literal) {
    for (int step = 0; step < 4 * rows * columns; step++) {
        row += down[direction], column += right_[direction];
        if (row < 0 || row >= rows || column < 0 || column >= columns) return true;
        char kind = field[row][column];
        if (kind == '#') return true;
        if (kind == '-' || kind == '|') return false;
        if (kind == '.' && lit) (*lit)[row][column].push_back(literal);
        if (kind == '/' || kind == '\\') direction = turned(kind, direction);
    }
    return true;
}

bool solve() {
    static bitset<most> reach[most];
    vector<pair<int, int>> turrets;
    vector<vector<vector<int>>> lit(rows, vector<vector<int>>(columns));
    vector<pair<int, int>> clauses;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            if (field[r][c] == '-' || field[r][c] == '|') {
                for (int stands = 0; stands < 2; stands++) {
                    int literal = 2 * turrets.size() + stands;
                    if (shoot(r, c, stands, nullptr, 0) && shoot(r, c, stands + 2, nullptr, 0)) {
                        shoot(r, c, stands, &lit, literal);
                        shoot(r, c, stands + 2, &lit, literal);
                    } else {
                        clauses.push_back({literal ^ 1, literal ^ 1});
                    }
                }
                turrets.push_back({r, c});
            }
#ifdef NO_TURRETS
    if (turrets.empty()) return true;
#endif
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            if (field[r][c] == '.') {
                if (lit[r][c].empty()) return false;
                clauses.push_back({lit[r][c].front(), lit[r][c].back()});
            }
    int size = 2 * turrets.size();
    for (int x = 0; x < size; x++) reach[x].reset(), reach[x][x] = 1;
    for (auto [one, other] : clauses) reach[one ^ 1][other] = reach[other ^ 1][one] = 1;
    for (int middle = 0; middle < size; middle++)
        for (int x = 0; x < size; x++)
            if (reach[x][middle]) reach[x] |= reach[middle];
    for (int x = 0; x < size; x += 2)
        if (reach[x][x ^ 1] && reach[x ^ 1][x]) return false;
    vector<int> value(size, -1);
    for (int x = 0; x < size; x++) {
        int chosen = reach[x][x ^ 1] ? x ^ 1 : x;
        if (value[x] >= 0) continue;
        for (int y = 0; y < size; y++)
            if (reach[chosen][y]) value[y] = 1, value[y ^ 1] = 0;
    }
    for (int t = 0; t < size / 2; t++) field[turrets[t].first][turrets[t].second] = value[2 * t] == 1 ? '-' : '|';
    return true;
}

int main() {
    int cases;
    cin >> cases;
    for (int number = 1; number <= cases; number++) {
        cin >> rows >> columns;
        field.resize(rows);
        for (auto& row : field) cin >> row;
        bool possible = solve();
        cout << "Case #" << number << (possible ? ": POSSIBLE\n" : ": IMPOSSIBLE\n");
        if (possible)
            for (auto& row : field) cout << row << "\n";
    }
}
