// Beams, as somebody might hand it in: each turret is a variable, the beams are followed, 2-SAT decides.
// One of its ideas is wrong. `python -m compare fuzz beams --program mine=mine.cpp` finds the smallest board that shows it.
#include <bitset>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

const int most = 5000;   // literals: 2t says that turret t lies flat, 2t + 1 that it stands
int rows, columns;
vector<string> field;

enum Direction { LEFT, UP, RIGHT, DOWN };
const int down[] = {0, -1, 0, 1}, to_the_right[] = {-1, 0, 1, 0};
const Direction slash[] = {DOWN, RIGHT, UP, LEFT}, backslash[] = {UP, LEFT, DOWN, RIGHT};

// Follow a beam from a turret's cell. Returns whether it hurts no turret; the open cells on its way go into `crossed`.
bool follow(int start_row, int start_column, int direction, vector<int>& crossed) {
    int row = start_row, column = start_column;
    while (true) {
        row += down[direction], column += to_the_right[direction];
        if (row < 0 || row >= rows || column < 0 || column >= columns || field[row][column] == '#') return true;
        char kind = field[row][column];
        if (row == start_row && column == start_column) return true;
        if (kind == '-' || kind == '|') return false;
        if (kind == '/') direction = slash[direction];
        if (kind == '\\') direction = backslash[direction];
        if (kind == '.') crossed.push_back(row * columns + column);
    }
}

// A clause (one or other) for each open cell, and one for each turret that must not be turned some way. Then 2-SAT.
bool solve() {
    static bitset<most> reach[most];
    vector<pair<int, int>> turrets, clauses;
    vector<vector<int>> lit_by(rows * columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            if (field[r][c] != '-' && field[r][c] != '|') continue;
            for (int stands = 0; stands < 2; stands++) {
                int literal = 2 * turrets.size() + stands;
                vector<int> crossed;
                if (follow(r, c, stands, crossed) && follow(r, c, stands + 2, crossed))
                    for (int cell : crossed) lit_by[cell].push_back(literal);
                else
                    clauses.push_back({literal ^ 1, literal ^ 1});
            }
            turrets.push_back({r, c});
        }
    for (int cell = 0; cell < rows * columns; cell++) {
        if (field[cell / columns][cell % columns] != '.') continue;
        if (lit_by[cell].empty()) return false;
        clauses.push_back({lit_by[cell].front(), lit_by[cell].back()});
    }
    int size = 2 * turrets.size();
    for (int x = 0; x < size; x++) reach[x].reset(), reach[x][x] = true;
    for (auto [one, other] : clauses) reach[one ^ 1][other] = reach[other ^ 1][one] = true;
    for (int middle = 0; middle < size; middle++)
        for (int x = 0; x < size; x++)
            if (reach[x][middle]) reach[x] |= reach[middle];
    vector<int> value(size, -1);
    for (int x = 0; x < size; x++) {
        if (reach[x][x ^ 1] && reach[x ^ 1][x]) return false;
        if (value[x] >= 0) continue;
        int chosen = reach[x][x ^ 1] ? x ^ 1 : x;
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
