// What is on a board, apart from how it is drawn. The puzzles make scenes; the two views, SVG for small boards and canvas
// for large ones, draw them.

/**
 * @typedef {object} Tour
 * @property {Int32Array} path the squares in order, each row * cols + col
 * @property {boolean} closed
 * @property {number} step how many of them have been visited
 */

/**
 * @typedef {object} Scene
 * @property {number} rows
 * @property {number} cols
 * @property {boolean} chequered
 * @property {Set<number>} holes squares that are not part of the board, as keys
 * @property {Set<number>} crossed squares that are barred
 * @property {{board: number[][], colors: number[]} | null} tiles
 * @property {Tour | null} tour
 * @property {number | null} start where a tour has to begin, as a key
 * @property {number | null} end where it has to end
 * @property {{key: number, given: boolean}[]} queens
 * @property {number[][] | null} regions
 * @property {number} base what rows and columns count from
 * @property {string} label what it is, in a few words
 */

/** The largest side that is drawn as SVG. */
export const SMALL = 64;

/** The largest side of a board whose tour carries its numbers. */
export const NUMBERED = 32;

/** How many tints the regions take turns with; their borders tell them apart as well. */
export const TINTS = 8;

/** The outlines of the pieces on a unit square. */
export const QUEEN = 'm.2.36.14.2.16-.32.16.32.14-.2-.08.42H.28zM.28.8h.44v.06H.28z';
export const KNIGHT = 'M.26.86h.52c.02-.3-.02-.52-.2-.64L.56.1.46.2c-.12.04-.2.14-.24.26l-.08.14.08.1.1-.02.14-.1h.1c-.02.12-.28.2-.3.28z';

/**
 * An empty scene.
 * @param {{rows: number, cols: number}} size
 * @returns {Scene}
 */
export function emptyScene({ rows, cols }) {
  return {
    rows, cols, chequered: true, holes: new Set(), crossed: new Set(), tiles: null, tour: null, start: null, end: null,
    queens: [], regions: null, base: 0, label: '',
  };
}

/**
 * Every how many rows or columns one is labelled on a board with this longer side; 0 for none.
 * @param {number} side
 */
export const labelEvery = side => (side <= 20 ? 1 : side <= 32 ? 4 : side <= SMALL ? 8 : 0);

/**
 * The borders between regions as a path of unit squares.
 * @param {number[][]} regions
 */
export function borders(regions) {
  let path = '';
  regions.forEach((row, r) =>
    row.forEach((region, c) => {
      if (c > 0 && row[c - 1] !== region) path += `M${c} ${r}v1`;
      if (r > 0 && regions[r - 1][c] !== region) path += `M${c} ${r}h1`;
    }));
  return path;
}
