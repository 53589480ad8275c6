// Boards to 64 by 64 as SVG: one path for each colour, so that the largest has no more elements than the smallest, but
// for the numbers of a tour. Colours come from the style sheet; a picture to save carries them itself.

import { svg } from './dom.js';
import { squareOf } from './state.js';
import { borders, KNIGHT, labelEvery, NUMBERED, QUEEN, TINTS } from './scene.js';

/** @typedef {import('./scene.js').Scene} Scene */

/** How far a tile stays away from its neighbours: it is drawn narrower by this, and wider by half of its line. */
const INSET = 0.11;
const SHORT = 1 - 2 * INSET;
const LONG = 2 - 2 * INSET;

/** The part of a saved picture's look that the style sheet has: the light theme, as attributes. */
const LOOK = /** @type {Record<string, Record<string, string>>} */ ({
  paper: { fill: '#fff' },
  shade: { fill: '#dfe4ea' },
  hole: { fill: '#14181d' },
  cross: { fill: 'none', stroke: '#14181d', 'stroke-width': '.09', 'stroke-linecap': 'round' },
  frame: { fill: 'none', stroke: '#14181d' },
  border: { fill: 'none', stroke: '#14181d', 'stroke-width': '.07', 'stroke-linecap': 'round' },
  grid: { fill: 'none', stroke: '#c9ced3' },
  label: { fill: '#4c5661', 'font-family': 'system-ui, sans-serif' },
  tile: { 'stroke-width': '.12', 'stroke-linejoin': 'round' },
  way: { fill: 'none', stroke: '#0072b2', 'stroke-width': '.1', 'stroke-linejoin': 'round', 'stroke-linecap': 'round' },
  rest: { fill: 'none', stroke: '#0072b2', 'stroke-opacity': '.25', 'stroke-width': '.06', 'stroke-linejoin': 'round' },
  start: { fill: '#009e73' },
  end: { fill: '#d55e00' },
  number: {
    fill: '#14181d', 'font-family': 'system-ui, sans-serif', 'font-size': '.32', 'font-weight': '600',
    'text-anchor': 'middle', 'paint-order': 'stroke', stroke: '#fff', 'stroke-width': '.07', 'stroke-linejoin': 'round',
  },
  ahead: { 'fill-opacity': '.35' },
  knight: { fill: '#14181d', stroke: '#fff', 'stroke-width': '.04' },
  given: { fill: '#14181d' },
  found: { fill: '#0072b2' },
  ...Object.fromEntries(
    ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9'].map((color, at) => [`c${at + 1}`, { fill: color, stroke: color }])),
  ...Object.fromEntries(
    ['#cfe6f5', '#fbe6b8', '#c5eadd', '#f3dbe8', '#e4f3fc', '#fbd9c4', '#f8f5b6', '#e3e5e8'].map((fill, at) => [`t${at}`, { fill }])),
});

export class SvgView {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.root = svg('svg', { 'aria-hidden': 'true', focusable: 'false' });
    const ring = { x: 0.08, y: 0.08, width: 0.84, height: 0.84, rx: 0.06 };
    this.cursor = svg('g', { class: 'cursor' }, svg('rect', ring), svg('rect', ring));
    this.hover = svg('rect', { class: 'hover', width: 1, height: 1 });
    /** @type {{way: SVGElement, rest: SVGElement, knight: SVGElement, numbers: Element[], shown: number} | null} */
    this.tour = null;
    /** @type {Scene | null} */
    this.scene = null;
    host.append(this.root);
  }

  /**
   * Draws a scene anew.
   * @param {Scene} scene
   */
  show(scene) {
    this.scene = scene;
    const { rows, cols } = scene;
    const side = Math.max(rows, cols);
    const every = labelEvery(side);
    // What is not of the squares' size is of the picture's, and so the same on every board.
    const text = side / 30;
    const frame = side / 160;
    const edge = frame / 2;
    const top = every ? text * 1.6 : edge;
    const left = every ? text * (0.85 + 0.6 * String(rows - 1 + scene.base).length) : edge;
    this.root.setAttribute('viewBox', `${-left} ${-top} ${cols + left + edge} ${rows + top + edge}`);
    const parts = [svg('rect', { class: 'paper', width: cols, height: rows })];
    /** @type {Element[]} */
    const all = parts;
    if (scene.regions) all.push(...tints(scene.regions));
    else if (scene.chequered) all.push(svg('path', { class: 'shade', d: chequer(rows, cols) }));
    if (scene.tiles) all.push(...tiles(scene.tiles.board, scene.tiles.colors));
    else if (!scene.chequered) all.push(svg('path', { class: 'grid', d: lines(rows, cols), 'stroke-width': side / 320 }));
    if (scene.holes.size) all.push(svg('path', { class: 'hole', d: squares(scene.holes, 'h1v1h-1z') }));
    if (scene.crossed.size) {
      all.push(svg('path', { class: 'cross', d: squares(scene.crossed, 'm.3.3.4.4m0-.4-.4.4') }));
    }
    if (scene.regions) all.push(svg('path', { class: 'border', d: borders(scene.regions) }));
    this.tour = null;
    if (scene.tour) all.push(this.drawTour(scene.tour, cols));
    if (scene.start !== null && !scene.tour) all.push(mark('start', scene.start));
    if (scene.end !== null && !scene.tour) all.push(mark('end', scene.end));
    for (const { key, given } of scene.queens) {
      const [row, col] = squareOf(key);
      all.push(svg('path', { class: given ? 'given' : 'found', d: QUEEN, transform: `translate(${col} ${row})` }));
    }
    all.push(svg('rect', { class: 'frame', width: cols, height: rows, 'stroke-width': frame }));
    if (every) all.push(labels(scene, every, text));
    this.root.replaceChildren(...all, this.hover, this.cursor);
    if (scene.tour) this.step(scene.tour.step);
  }

  /**
   * @param {import('./scene.js').Tour} tour
   * @param {number} cols
   */
  drawTour({ path, closed }, cols) {
    const row = (/** @type {number} */ at) => Math.floor(path[at] / cols);
    const col = (/** @type {number} */ at) => path[at] % cols;
    let d = 'M';
    for (let at = 0; at < path.length; at++) d += `${at ? ' ' : ''}${col(at)} ${row(at)}`;
    if (closed) d += `L${col(0)} ${row(0)}`;
    // Every move is as long as any other, so the way to a move is a length of the whole.
    const moves = Math.max(1, path.length - (closed ? 0 : 1));
    const way = svg('path', { class: 'way', d, pathLength: moves });
    const rest = svg('path', { class: 'rest', d });
    const last = path.length - 1;
    const group = svg('g', { transform: 'translate(.5 .5)' }, rest, way,
      svg('rect', { class: 'end', x: col(last) - 0.29, y: row(last) - 0.29, width: 0.58, height: 0.58 }),
      svg('circle', { class: 'start', cx: col(0), cy: row(0), r: 0.32 }));
    /** @type {Element[]} */
    const numbers = [];
    if (this.scene && Math.max(this.scene.rows, this.scene.cols) <= NUMBERED) {
      path.forEach((_, at) => numbers.push(
        svg('text', { class: 'number', x: col(at), y: row(at), dy: 0.115 }, String(at + 1))));
      group.append(svg('g', {}, ...numbers));
    }
    const knight = svg('g', { class: 'piece' }, svg('path', { class: 'knight', d: KNIGHT }));
    group.append(knight);
    this.tour = { way, rest, knight, numbers, shown: numbers.length };
    return group;
  }

  /**
   * Shows the first squares of the tour as visited, and the knight on the last of them.
   * @param {number} step
   */
  step(step) {
    const { tour, scene } = this;
    if (!tour || !scene?.tour) return;
    scene.tour.step = step;
    const { path, closed } = scene.tour;
    const done = step >= path.length;
    tour.way.setAttribute('stroke-dasharray', `${done ? path.length : step - 1} ${path.length + 1}`);
    tour.way.setAttribute('visibility', step > 1 || closed ? 'visible' : 'hidden');
    tour.rest.setAttribute('visibility', done ? 'hidden' : 'visible');
    const square = path[Math.min(step, path.length) - 1];
    tour.knight.setAttribute('transform',
      `translate(${(square % scene.cols) - 0.5} ${Math.floor(square / scene.cols) - 0.5})`);
    tour.knight.setAttribute('visibility', done ? 'hidden' : 'visible');
    if (step === 1) tour.way.setAttribute('visibility', 'hidden');
    for (let at = Math.min(step, tour.shown); at < Math.min(Math.max(step, tour.shown), tour.numbers.length); at++) {
      tour.numbers[at].setAttribute('class', at < step ? 'number' : 'number ahead');
    }
    tour.shown = step;
  }

  /**
   * Shows or hides the frame around a square.
   * @param {'cursor' | 'hover'} which
   * @param {[number, number] | null} square
   */
  point(which, square) {
    this[which].setAttribute('visibility', square ? 'visible' : 'hidden');
    if (square) this[which].setAttribute('transform', `translate(${square[1]} ${square[0]})`);
  }

  /**
   * The square at a point of the window.
   * @param {number} x
   * @param {number} y
   * @returns {[number, number] | null}
   */
  at(x, y) {
    const matrix = this.root.getScreenCTM();
    if (!matrix || !this.scene) return null;
    const point = new DOMPoint(x, y).matrixTransform(matrix.inverse());
    const [row, col] = [Math.floor(point.y), Math.floor(point.x)];
    return row >= 0 && col >= 0 && row < this.scene.rows && col < this.scene.cols ? [row, col] : null;
  }

  /**
   * The picture as a file.
   * @returns {string}
   */
  picture() {
    const copy = /** @type {SVGSVGElement} */ (this.root.cloneNode(true));
    const { scene } = this;
    copy.removeAttribute('aria-hidden');
    copy.removeAttribute('focusable');
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.querySelectorAll('.hover, .cursor, [visibility=hidden]').forEach(element => element.remove());
    copy.querySelectorAll('[class]').forEach(element => {
      for (const name of element.classList) {
        for (const [attribute, value] of Object.entries(LOOK[name] ?? {})) element.setAttribute(attribute, value);
      }
      element.removeAttribute('class');
    });
    copy.prepend(svg('title', {}, scene?.label ?? ''));
    return new XMLSerializer().serializeToString(copy);
  }

  remove() {
    this.root.remove();
  }
}

/**
 * @param {number} rows
 * @param {number} cols
 */
function chequer(rows, cols) {
  let d = '';
  for (let row = 0; row < rows; row++) {
    for (let col = (row + 1) % 2; col < cols; col += 2) d += `M${col} ${row}h1v1h-1z`;
  }
  return d;
}

/**
 * @param {number} rows
 * @param {number} cols
 */
function lines(rows, cols) {
  let d = '';
  for (let row = 1; row < rows; row++) d += `M0 ${row}h${cols}`;
  for (let col = 1; col < cols; col++) d += `M${col} 0v${rows}`;
  return d;
}

/**
 * @param {Iterable<number>} keys
 * @param {string} outline
 */
function squares(keys, outline) {
  let d = '';
  for (const key of keys) {
    const [row, col] = squareOf(key);
    d += `M${col} ${row}${outline}`;
  }
  return d;
}

/** @param {number[][]} regions */
function tints(regions) {
  const paths = Array.from({ length: TINTS }, () => '');
  regions.forEach((row, r) => row.forEach((region, c) => (paths[region % TINTS] += `M${c} ${r}h1v1h-1z`)));
  return paths.map((d, at) => svg('path', { class: `t${at}`, d }));
}

/**
 * @param {number[][]} board
 * @param {number[]} colors
 */
function tiles(board, colors) {
  const paths = Array.from({ length: 5 }, () => '');
  const seen = new Uint8Array(colors.length);
  board.forEach((row, r) =>
    row.forEach((tile, c) => {
      if (tile === 0 || seen[tile - 1]) return;
      seen[tile - 1] = 1;
      // This is the tile's first square in reading order.
      const below = board[r + 1] ?? [];
      const right = row[c + 1] === tile;
      const [x, y] = [c + INSET, r + INSET];
      if (right && below[c] === tile) paths[colors[tile - 1] - 1] += `M${x} ${y}h${LONG}v${SHORT}h-1v1h-${SHORT}z`;
      else if (right) paths[colors[tile - 1] - 1] += `M${x} ${y}h${LONG}v${LONG}h-${SHORT}v-1h-1z`;
      else if (below[c + 1] === tile) paths[colors[tile - 1] - 1] += `M${x} ${y}h${SHORT}v1h1v${SHORT}h-${LONG}z`;
      else paths[colors[tile - 1] - 1] += `M${x} ${y}h${SHORT}v${LONG}h-${LONG}v-${SHORT}h1z`;
    }));
  return paths.flatMap((d, at) => (d ? [svg('path', { class: `tile c${at + 1}`, d })] : []));
}

/**
 * Where a tour has to begin or end.
 * @param {'start' | 'end'} which
 * @param {number} key
 */
function mark(which, key) {
  const [row, col] = squareOf(key);
  return which === 'start'
    ? svg('circle', { class: 'start', cx: col + 0.5, cy: row + 0.5, r: 0.32 })
    : svg('rect', { class: 'end', x: col + 0.21, y: row + 0.21, width: 0.58, height: 0.58 });
}

/**
 * @param {Scene} scene
 * @param {number} every
 * @param {number} size
 */
function labels({ rows, cols, base }, every, size) {
  const group = svg('g', { class: 'label', 'font-size': size });
  const away = -0.55 * size;
  const shown = (/** @type {number} */ at) => at % every === 0;
  for (let row = 0; row < rows; row++) {
    if (shown(row)) group.append(svg('text', { x: away, y: row + 0.5, dy: size * 0.36, 'text-anchor': 'end' }, String(row + base)));
  }
  for (let col = 0; col < cols; col++) {
    if (shown(col)) group.append(svg('text', { x: col + 0.5, y: away, 'text-anchor': 'middle' }, String(col + base)));
  }
  return group;
}
