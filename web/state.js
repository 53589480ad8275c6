// What a person has set, and its two written forms: the address of the page, and the request to the server.
//
// The address says it in the server's own words: `#/queens?size=8&queens=0,4` on the page is
// `/queens?size=8&queens=0,4` on the server. Scalars are therefore kept as the text that a query holds, even a wrong
// one: the server tells what is wrong with it. Three more words are the page's own: `base`, `step` and `solution`; and
// `regions`, which a query can't hold, is written a letter a square.

/** @typedef {'tromino' | 'knight-tour' | 'queens'} PuzzleName */
/** @typedef {'holes' | 'blocked' | 'queens' | 'start' | 'end'} SetName */
/** @typedef {'rows' | 'cols' | 'closed' | 'method' | 'leaper' | 'unique' | 'count' | 'attack' | 'distinct' | 'seed' | 'timeout_ms'} WordName */

/**
 * The settings of one puzzle.
 * @typedef {object} Settings
 * @property {PuzzleName} puzzle
 * @property {Record<WordName, string>} words empty where nothing is set
 * @property {Record<SetName, Set<number>>} squares as keys
 * @property {number[][] | null} regions
 * @property {boolean} square whether the columns follow the rows
 * @property {number | null} step the move of the tour that is shown, from 1; null for its end
 * @property {number} solution the solution that is shown, from 0
 */

/**
 * What the server is asked.
 * @typedef {object} Request
 * @property {string} path
 * @property {string} query
 * @property {string | null} body JSON, where a query can't hold it or would be long
 */

export const PUZZLES = /** @type {const} */ (['tromino', 'knight-tour', 'queens']);

/** The fields of each puzzle that are squares, and those that are not. */
const SQUARES = /** @type {Record<PuzzleName, SetName[]>} */ ({
  tromino: ['holes'],
  'knight-tour': ['start', 'end', 'blocked'],
  queens: ['queens', 'blocked'],
});
const WORDS = /** @type {Record<PuzzleName, WordName[]>} */ ({
  tromino: ['seed', 'count', 'timeout_ms'],
  'knight-tour': ['closed', 'method', 'leaper', 'unique', 'count', 'timeout_ms'],
  queens: ['attack', 'distinct', 'count', 'unique', 'seed', 'timeout_ms'],
});

/** So many solutions are asked for together. */
export const PAGE = 100;

/** The largest board of queens whose solutions can be walked through: a wider one is constructed, not searched. */
const WALKABLE = 24;

/** The longest query that is sent as one. */
const LONG = 2000;

/** The largest board that is drawn, in squares: what the server takes by default. */
export const DRAWN = 1024 * 1024;

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_';

const WIDTH = 2 ** 21;

/**
 * A square as one number, whatever the size of the board.
 * @param {number} row
 * @param {number} col
 */
export const keyOf = (row, col) => row * WIDTH + col;

/**
 * @param {number} key
 * @returns {[number, number]}
 */
export const squareOf = key => [Math.floor(key / WIDTH), key % WIDTH];

/**
 * What is set at first.
 * @param {PuzzleName} puzzle
 * @returns {Settings}
 */
export function fresh(puzzle) {
  return {
    puzzle,
    words: {
      rows: '8', cols: '8', closed: '', method: '', leaper: '', unique: '', count: '', attack: '', distinct: '',
      seed: '', timeout_ms: '',
    },
    squares: { holes: new Set(), blocked: new Set(), queens: new Set(), start: new Set(), end: new Set() },
    regions: null,
    square: true,
    step: null,
    solution: 0,
  };
}

/**
 * The size that is set, or null while it is no size.
 * @param {Settings} settings
 * @returns {{rows: number, cols: number} | null}
 */
export function sizeOf({ words, puzzle, square }) {
  const [rows, cols] = [words.rows, square || puzzle === 'queens' ? words.rows : words.cols].map(side);
  return rows && cols ? { rows, cols } : null;
}

/** @param {string} text */
const side = text => (/^[0-9]{1,7}$/.test(text) ? Number(text) : 0);

/**
 * The size of the board that is drawn: one square while what is set is no size, or too large to draw.
 * @param {Settings} settings
 */
export function drawnSize(settings) {
  const size = sizeOf(settings);
  return size && size.rows * size.cols <= DRAWN ? size : { rows: 1, cols: 1 };
}

/**
 * The set squares that lie on the board; others wait until it is larger again.
 * @param {Settings} settings
 * @param {SetName} name
 * @returns {number[]}
 */
export function within(settings, name) {
  const size = sizeOf(settings);
  if (!size) return [];
  return [...settings.squares[name]]
    .filter(key => {
      const [row, col] = squareOf(key);
      return row < size.rows && col < size.cols;
    })
    .sort((one, other) => one - other);
}

/**
 * The regions, if they fit the board.
 * @param {Settings} settings
 */
export function regionsOf(settings) {
  const size = sizeOf(settings);
  return size && settings.regions?.length === size.rows ? settings.regions : null;
}

/**
 * The fields of the request in order.
 * @param {Settings} settings
 * @returns {[string, string | string[]][]}
 */
function fields(settings) {
  const { puzzle, words, square } = settings;
  /** @type {[string, string | string[]][]} */
  const all = square || puzzle === 'queens' ? [['size', words.rows]] : [['rows', words.rows], ['cols', words.cols]];
  for (const name of SQUARES[puzzle]) {
    const squares = within(settings, name).map(key => squareOf(key).join());
    if (squares.length > 0) all.push([name, name === 'start' || name === 'end' ? squares[0] : squares]);
  }
  for (const name of WORDS[puzzle]) {
    if (words[name] !== '') all.push([name, words[name]]);
  }
  if (puzzle === 'queens' && Number(words.rows) <= WALKABLE && words.seed === '') {
    all.push(['limit', String(PAGE)]);
    const offset = settings.solution - (settings.solution % PAGE);
    if (offset > 0) all.push(['offset', String(offset)]);
  }
  return all;
}

/**
 * The request for these settings.
 * @param {Settings} settings
 * @returns {Request}
 */
export function requestOf(settings) {
  const all = fields(settings);
  const regions = settings.puzzle === 'queens' ? regionsOf(settings) : null;
  const query = queryOf(all);
  let body = null;
  if (regions || query.length > LONG) {
    const members = all.map(([name, value]) => `"${name}": ${json(name, value)}`);
    if (regions) members.push(`"regions": ${JSON.stringify(regions)}`);
    body = `{${members.join(', ')}}`;
  }
  return { path: `/${settings.puzzle}`, query, body };
}

/** @param {[string, string | string[]][]} pairs */
function queryOf(pairs) {
  return pairs
    .flatMap(([name, values]) =>
      [values].flat().map(value => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`))
    .join('&');
}

/**
 * A value as JSON. Digits stay as they are, for a seed may be too large for a number here.
 * @param {string} name
 * @param {string | string[]} value
 * @returns {string}
 */
function json(name, value) {
  if (Array.isArray(value)) return `[${value.map(square => `[${square}]`).join(', ')}]`;
  if (name === 'start' || name === 'end' || name === 'leaper') return `[${value}]`;
  return /^(0|[1-9][0-9]*|true|false)$/.test(value) ? value : JSON.stringify(value);
}

/**
 * The part of the page's address behind the #.
 * @param {Settings} settings
 * @param {string} base
 */
export function hashOf(settings, base) {
  const all = fields(settings).filter(([name]) => name !== 'limit' && name !== 'offset');
  const regions = settings.puzzle === 'queens' ? regionsOf(settings) : null;
  if (regions) all.push(['regions', regions.map(row => row.map(region => LETTERS[region % 64]).join('')).join('.')]);
  if (settings.puzzle === 'knight-tour' && settings.step) all.push(['step', String(settings.step)]);
  if (settings.puzzle === 'queens' && settings.solution) all.push(['solution', String(settings.solution + 1)]);
  if (base !== '0') all.push(['base', base]);
  return `#/${settings.puzzle}?${queryOf(all)}`;
}

/**
 * Reads an address; null unless it is one of a puzzle.
 * @param {string} hash
 * @returns {{settings: Settings, base: string | null} | null}
 */
export function parse(hash) {
  const [, name, query] = /^#\/([a-z-]+)(?:\?(.*))?$/.exec(hash) ?? [];
  const puzzle = PUZZLES.find(puzzle => puzzle === name);
  if (!puzzle) return null;
  const settings = fresh(puzzle);
  const { words, squares } = settings;
  const given = new URLSearchParams(query ?? '');
  const size = given.get('size');
  words.rows = size ?? given.get('rows') ?? words.rows;
  words.cols = size ?? given.get('cols') ?? words.cols;
  settings.square = puzzle === 'queens' || words.rows === words.cols;
  for (const name of SQUARES[puzzle]) {
    for (const text of given.getAll(name)) {
      const match = /^([0-9]{1,6}),([0-9]{1,6})$/.exec(text);
      if (match) squares[name].add(keyOf(Number(match[1]), Number(match[2])));
    }
  }
  for (const name of WORDS[puzzle]) words[name] = given.get(name) ?? '';
  const regions = given.get('regions');
  if (regions) {
    const rows = regions.split('.').map(row => [...row].map(letter => Math.max(0, LETTERS.indexOf(letter))));
    if (rows.every(row => row.length === rows.length)) settings.regions = rows;
  }
  settings.step = side(given.get('step') ?? '') || null;
  settings.solution = Math.max(0, side(given.get('solution') ?? '') - 1);
  return { settings, base: given.get('base') };
}
