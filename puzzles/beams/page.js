/** Beams: how its symbols are drawn, and the board that one sees first. */

import { line, wall } from "/static/signs.js";

export const first = ["mirror", 8, 1];

const turret = (d) => `<circle cx=".5" cy=".5" r=".25" fill="var(--ink)"/>${line(d, 0.14)}`;

export const signs = {
  "#": wall,
  "/": line("M.1 .9L.9 .1", 0.12, "cool"),
  "\\": line("M.1 .1L.9 .9", 0.12, "cool"),
  "-": turret("M.1 .5H.9"),
  "|": turret("M.5 .1V.9"),
};
