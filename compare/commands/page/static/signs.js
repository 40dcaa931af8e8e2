/** How the symbols of a cell are drawn: a piece of SVG in the unit square. Colours are the page's CSS variables. */

import { escaped } from "./dom.js";

export const wall = '<path d="M0 0h1v1h-1z" fill="var(--wall)"/>';
export const line = (d, width, colour = "ink") =>
  `<path d="${d}" fill="none" stroke="var(--${colour})" stroke-width="${width}" stroke-linecap="round"/>`;
export const label = (text, colour = "ink") => `<text x=".5" y=".5" fill="var(--${colour})">${escaped(text)}</text>`;

/** The frame of a cell [row, column]. */
export const frame = (name, [row, column]) => `<path class="${name}" d="M${column + 0.06} ${row + 0.06}h.88v.88h-.88z"/>`;

/** The sign of a cell about which answers differ: a double frame, so that it needs no colour. */
export const differs = ([row, column]) =>
  `<path class="differs" d="M${column + 0.04} ${row + 0.04}h.92v.92h-.92zM${column + 0.2} ${row + 0.2}h.6v.6h-.6z"/>`;

/** A ring around a cell [row, column] of a board so large that the cell itself is hardly seen. */
export const halo = ([row, column], radius) => `<circle class="halo" cx="${column + 0.5}" cy="${row + 0.5}" r="${radius}"/>`;

/** The sign of a symbol, as the puzzle's script or its picture draws it; any other symbol is drawn as a letter. */
export const sign = ({ script }, symbol) => script.signs?.[symbol] ?? (symbol === "." ? "" : label(symbol));

/** The signs of all cells of a board. */
export const signsOf = (puzzle, board) => [...board.cells].map((symbol) => sign(puzzle, symbol));
