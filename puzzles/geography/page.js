/** Geography: how its symbols are drawn, and the board that one sees first. */

import { wall } from "/static/signs.js";

export const first = ["walls-20", 7, 1];

export const signs = { "#": wall };
