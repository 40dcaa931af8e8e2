/** A link is a board: the puzzle and the board's text are in the fragment of the address. */

/** `#puzzle=...&board=...` for this text. */
export const fragment = (puzzle, text) => `#puzzle=${encodeURIComponent(puzzle)}&board=${encodeURIComponent(text)}`;

/** Milliseconds between two changes of the address: browsers ignore changes that come too fast. */
const PACE = 100;

let timer = null;
let latest = 0;
let pending = null;

/** Put the board into the address, at once or a moment later. */
export function write(puzzle, text) {
  clearTimeout(timer);
  pending = fragment(puzzle, text);
  timer = setTimeout(flush, Math.max(0, latest + PACE - performance.now()));
}

function flush() {
  clearTimeout(timer);
  if (pending === null) return;
  latest = performance.now();
  history.replaceState(null, "", pending);
  pending = null;
}

/** Another puzzle is a new entry in the browser's history: Back returns to the board before. */
export function enter(puzzle) {
  flush();
  const address = `#puzzle=${encodeURIComponent(puzzle)}`;
  if (location.hash.split("&")[0] !== address) history.pushState(null, "", address);
}

/** The puzzle and the text of the address; null if it has no fragment. Throws an error with a sentence if it is broken. */
export function read() {
  clearTimeout(timer);
  pending = null;
  if (location.hash.length < 2) return null;
  const values = {};
  for (const part of location.hash.slice(1).split("&")) {
    const at = part.indexOf("=");
    try {
      values[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
    } catch {
      throw new Error("This link is broken: part of it was lost on the way. Copy it again, all of it.");
    }
  }
  if (!values.puzzle) throw new Error("This link is broken: it names no puzzle.");
  return { puzzle: values.puzzle, text: values.board ?? "" };
}
