/** Curves of seconds against the number of cells, both axes logarithmic. Lines differ by dash, marker and label. */

import { escaped } from "./dom.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [760, 360, 64, 190, 16, 46];
const DASHES = ["", "7 4", "2 4", "10 4 2 4", "14 5", "4 2 1 2"];
const COLOURS = ["cool", "light", "good", "bad", "ink", "soft"];
const MARKERS = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x, y) => `<path d="M${x - 4} ${y - 4}h8v8h-8z"/>`,
  (x, y) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`,
  (x, y) => `<path d="M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z"/>`,
  (x, y) => `<path d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" fill="none" stroke-width="2"/>`,
  (x, y) => `<path d="M${x} ${y + 5}l5 -9h-10z"/>`,
];

/** The SVG of `series`: name -> [{cells, seconds}], sizes ascending. Empty if there is nothing to draw. */
export function curves(series) {
  const points = Object.values(series).flat();
  if (!points.length) return "";
  const across = axis(points.map(({ cells }) => cells), LEFT, WIDTH - RIGHT);
  const up = axis(points.map(({ seconds }) => seconds), HEIGHT - BOTTOM, TOP);
  const ticks = [
    ...across.ticks.map((k) => `<path class="lines" d="M${across.at(10 ** k)} ${TOP}V${HEIGHT - BOTTOM}"/><text x="${across.at(10 ** k)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${(10 ** k).toLocaleString("en")}</text>`),
    ...up.ticks.map((k) => `<path class="lines" d="M${LEFT} ${up.at(10 ** k)}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${up.at(10 ** k) + 4}" text-anchor="end">${unit(k)}</text>`),
  ];
  const names = Object.keys(series).filter((name) => series[name].length);
  const ends = labels(names.map((name) => up.at(series[name].at(-1).seconds)));
  const drawn = names.map((name, k) => {
    const colour = `var(--${COLOURS[k % COLOURS.length]})`;
    const places = series[name].map(({ cells, seconds }) => [across.at(cells), up.at(seconds)]);
    const line = `<polyline fill="none" stroke-width="2" stroke-dasharray="${DASHES[k % DASHES.length]}" points="${places.map((each) => each.join()).join(" ")}"/>`;
    const [x, y] = places.at(-1);
    const label = `<path d="M${x + 6} ${y}L${WIDTH - RIGHT + 12} ${ends[k]}" stroke-width=".6"/><text x="${WIDTH - RIGHT + 16}" y="${ends[k] + 4}">${escaped(name)}</text>`;
    return `<g stroke="${colour}" fill="${colour}">${line}${places.map(([px, py]) => MARKERS[k % MARKERS.length](px, py)).join("")}${label}</g>`;
  });
  const title = `Seconds against cells: ${names.join(", ")}. The table below has the numbers.`;
  return (
    `<svg class="curve" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(title)}">${ticks.join("")}${drawn.join("")}` +
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">cells</text></svg>`
  );
}

/** A logarithmic axis over whole powers of ten: `at(value)` in pixels, `ticks` as exponents. */
function axis(values, from, to) {
  const logs = values.map(Math.log10);
  const least = Math.floor(Math.min(...logs) + 1e-9);
  const most = Math.max(Math.ceil(Math.max(...logs) - 1e-9), least + 1);
  const at = (value) => Math.round(10 * (from + ((to - from) * (Math.log10(value) - least)) / (most - least))) / 10;
  return { at, ticks: Array.from({ length: most - least + 1 }, (_, k) => least + k) };
}

const unit = (exponent) =>
  exponent >= 0 ? `${10 ** exponent} s` : exponent >= -3 ? `${10 ** (exponent + 3)} ms` : `${10 ** (exponent + 6)} µs`;

/** The heights of labels, moved apart so that none covers another. */
function labels(heights, least = 16) {
  const order = heights.map((_, k) => k).sort((a, b) => heights[a] - heights[b]);
  const placed = [...heights];
  order.forEach((k, rank) => {
    if (rank) placed[k] = Math.max(placed[k], placed[order[rank - 1]] + least);
  });
  const over = Math.max(0, placed[order.at(-1)] - (HEIGHT - BOTTOM));
  return placed.map((height) => height - over);
}
