/** How the symbols of a cell are drawn: a piece of SVG in the unit square. Colours are the page's CSS variables. */

import { escaped } from "./dom.js";

const wall = '<path d="M0 0h1v1h-1z" fill="var(--wall)"/>';
const line = (d, width, colour = "ink") =>
  `<path d="${d}" fill="none" stroke="var(--${colour})" stroke-width="${width}" stroke-linecap="round"/>`;
const turret = (d) => `<circle cx=".5" cy=".5" r=".25" fill="var(--ink)"/>${line(d, 0.14)}`;
const label = (text, colour = "ink") => `<text x=".5" y=".5" fill="var(--${colour})">${escaped(text)}</text>`;
const given = '<path d="M.06 .06h.88v.88h-.88z" fill="none" stroke="var(--soft)" stroke-width=".07" stroke-dasharray=".14 .1"/>';
const covered = '<path d="M.06 .06h.88v.88h-.88z" fill="var(--wall)" fill-opacity=".3" stroke="var(--wall)" stroke-width=".05"/>';

/** A stone, which is black or white on any page. */
export const stone = (black, number = "") =>
  `<circle cx=".5" cy=".5" r=".42" fill="${black ? "#24292f" : "#fff"}" stroke="var(--wall)" stroke-width=".06"/>` +
  (number === "" ? "" : `<text x=".5" y=".5" class="small" fill="${black ? "#fff" : "#24292f"}">${number}</text>`);

/** The frame of a cell [row, column]. */
export const frame = (name, [row, column]) => `<path class="${name}" d="M${column + 0.06} ${row + 0.06}h.88v.88h-.88z"/>`;

/** The sign of a cell about which answers differ: a double frame, so that it needs no colour. */
export const differs = ([row, column]) =>
  `<path class="differs" d="M${column + 0.04} ${row + 0.04}h.92v.92h-.92zM${column + 0.2} ${row + 0.2}h.6v.6h-.6z"/>`;

const SIGNS = {
  beams: {
    "#": wall,
    "/": line("M.1 .9L.9 .1", 0.12, "cool"),
    "\\": line("M.1 .1L.9 .9", 0.12, "cool"),
    "-": turret("M.1 .5H.9"),
    "|": turret("M.5 .1V.9"),
  },
  geography: { "#": wall },
  minesweeper: {
    "#": covered,
    X: `${covered}<circle cx=".5" cy=".5" r=".25" fill="var(--bad)"/>${line("M.12 .5H.88M.5 .12V.88M.23 .23L.77 .77M.23 .77L.77 .23", 0.09, "bad")}${given}`,
    O: `${covered}<circle cx=".5" cy=".5" r=".24" fill="none" stroke="var(--good)" stroke-width=".11"/>${given}`,
    1: label("1", "cool"),
    2: label("2", "good"),
    3: label("3", "bad"),
  },
  nogo: { X: stone(true), O: stone(false) },
};

/** The sign of a symbol of a puzzle; a symbol that we do not know is drawn as a letter. */
export function sign(puzzle, symbol) {
  const ours = SIGNS[puzzle.name];
  if (ours?.[symbol]) return ours[symbol];
  return symbol === "." ? "" : label(symbol);
}

/** The signs of all cells of a board. */
export const signsOf = (puzzle, board) => [...board.cells].map((symbol) => sign(puzzle, symbol));
