// Boards beyond 64 by 64 on a canvas, to be panned and zoomed. Seen from afar a board is an image with a pixel for each
// square; from near, only the squares in sight are drawn, as shapes.

import { KNIGHT, QUEEN } from './scene.js';
import { keyOf, squareOf } from './state.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {[number, number, number]} Rgb */

/** From so many pixels a square on, squares are drawn as shapes. */
const NEAR = 7;

/** And from so many on, numbers are written. */
const READABLE = 26;

/** How far one can zoom in, in pixels a square. */
const CLOSEST = 64;

/** The order of a tour as a colour, from its start to its end: dark blue over grey to yellow (after cividis). */
const COURSE = /** @type {Rgb[]} */ ([[0, 42, 98], [65, 77, 107], [124, 123, 120], [187, 174, 107], [254, 232, 56]]);

export class CanvasView {
  /** @param {HTMLElement} host */
  constructor(host) {
    this.host = host;
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('aria-hidden', 'true');
    this.context = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
    host.append(this.canvas);
    /** @type {Scene | null} */
    this.scene = null;
    this.far = document.createElement('canvas');
    /** @type {ImageData | null} */
    this.pixels = null;
    /** Where the top left corner of the board is, and how large a square, in pixels of the window. */
    this.place = { x: 0, y: 0, scale: 1 };
    this.shown = 0;
    /** @type {Record<'cursor' | 'hover', [number, number] | null>} */
    this.points = { cursor: null, hover: null };
    this.waiting = false;
    /** @type {Record<string, string>} */
    this.colors = {};
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(host);
    this.theme = matchMedia('(prefers-color-scheme: dark)');
    this.themed = () => this.scene && this.show(this.scene);
    this.theme.addEventListener('change', this.themed);
  }

  /** @param {Scene} scene */
  show(scene) {
    const same = this.scene?.rows === scene.rows && this.scene.cols === scene.cols;
    this.scene = scene;
    this.paint();
    if (same) this.draw();
    else this.fit();
  }

  /** Makes the image of the whole board. */
  paint() {
    const { scene } = this;
    if (!scene) return;
    const style = getComputedStyle(this.host);
    const color = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    const names = ['paper', 'shade', 'ink', 'hole', 'accent', 'start', 'end', 'c1', 'c2', 'c3', 'c4', 'c5', 'muted'];
    this.colors = Object.fromEntries(names.map(name => [name, color(name)]));
    const { rows, cols } = scene;
    this.far.width = cols;
    this.far.height = rows;
    const context = /** @type {CanvasRenderingContext2D} */ (this.far.getContext('2d'));
    this.pixels = context.createImageData(cols, rows);
    const words = new Uint32Array(this.pixels.data.buffer);
    const paper = word(rgb(this.colors.paper));
    const shade = word(rgb(this.colors.shade));
    for (let row = 0; row < rows; row++) {
      for (let col = 0; col < cols; col++) {
        words[row * cols + col] = scene.chequered && (row + col) % 2 ? shade : paper;
      }
    }
    if (scene.tiles) {
      const shades = [1, 2, 3, 4, 5].map(at => word(rgb(this.colors[`c${at}`])));
      const { board, colors } = scene.tiles;
      for (let row = 0; row < rows; row++) {
        for (let col = 0; col < cols; col++) {
          const tile = board[row][col];
          if (tile) words[row * cols + col] = shades[colors[tile - 1] - 1];
        }
      }
    }
    const hole = word(rgb(this.colors.hole));
    for (const keys of [scene.holes, scene.crossed]) {
      for (const key of keys) {
        const [row, col] = squareOf(key);
        words[row * cols + col] = hole;
      }
    }
    this.shown = 0;
    if (scene.tour) this.course(scene.tour.step);
    context.putImageData(this.pixels, 0, 0);
  }

  /**
   * Colours the visited squares of the tour in the image.
   * @param {number} step
   */
  course(step) {
    const { scene, pixels } = this;
    if (!scene?.tour || !pixels) return;
    const { path } = scene.tour;
    const words = new Uint32Array(pixels.data.buffer);
    const paper = word(rgb(this.colors.paper));
    const shade = word(rgb(this.colors.shade));
    for (let at = this.shown; at < step; at++) words[path[at]] = word(course(at / path.length));
    for (let at = step; at < this.shown; at++) {
      const square = path[at];
      words[square] = (Math.floor(square / scene.cols) + (square % scene.cols)) % 2 ? shade : paper;
    }
    this.shown = step;
  }

  /** @param {number} step */
  step(step) {
    if (!this.scene?.tour || !this.pixels) return;
    this.scene.tour.step = step;
    this.course(step);
    /** @type {CanvasRenderingContext2D} */ (this.far.getContext('2d')).putImageData(this.pixels, 0, 0);
    this.draw();
  }

  /** Shows the whole board. */
  fit() {
    if (!this.scene) return;
    const { width, height } = this.host.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.place = this.whole(width, height);
    this.draw();
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  whole(width, height) {
    const { rows, cols } = /** @type {Scene} */ (this.scene);
    const scale = Math.min((width - 4) / cols, (height - 4) / rows);
    return { scale, x: (width - cols * scale) / 2, y: (height - rows * scale) / 2 };
  }

  /**
   * Zooms by a factor around a point of the board's element, or its middle.
   * @param {number} factor
   * @param {number} [x]
   * @param {number} [y]
   */
  zoom(factor, x = this.host.clientWidth / 2, y = this.host.clientHeight / 2) {
    const { place } = this;
    const least = this.whole(this.host.clientWidth, this.host.clientHeight).scale / 2;
    const scale = Math.min(CLOSEST, Math.max(least, place.scale * factor));
    place.x = x - ((x - place.x) * scale) / place.scale;
    place.y = y - ((y - place.y) * scale) / place.scale;
    place.scale = scale;
    this.draw();
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  pan(x, y) {
    this.place.x += x;
    this.place.y += y;
    this.draw();
  }

  /**
   * @param {'cursor' | 'hover'} which
   * @param {[number, number] | null} square
   */
  point(which, square) {
    this.points[which] = square;
    if (which === 'cursor' && square) this.reveal(square);
    this.draw();
  }

  /**
   * Moves the board so far that the square is in sight.
   * @param {[number, number]} square
   */
  reveal([row, col]) {
    const { place } = this;
    const into = (/** @type {number} */ at, /** @type {number} */ room) =>
      at < 0 ? -at : Math.min(0, room - at - place.scale);
    place.x += into(place.x + col * place.scale, this.host.clientWidth);
    place.y += into(place.y + row * place.scale, this.host.clientHeight);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @returns {[number, number] | null}
   */
  at(x, y) {
    if (!this.scene) return null;
    const box = this.canvas.getBoundingClientRect();
    const col = Math.floor((x - box.left - this.place.x) / this.place.scale);
    const row = Math.floor((y - box.top - this.place.y) / this.place.scale);
    return row >= 0 && col >= 0 && row < this.scene.rows && col < this.scene.cols ? [row, col] : null;
  }

  /** Draws with the next frame. */
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const ratio = devicePixelRatio || 1;
      const { x, y, scale } = this.place;
      this.render(this.context, { x: x * ratio, y: y * ratio, scale: scale * ratio }, ratio);
    });
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {{x: number, y: number, scale: number}} place in pixels of the canvas
   * @param {number} ratio
   */
  render(context, { x, y, scale }, ratio) {
    const { scene, colors } = this;
    if (!scene) return;
    const { rows, cols } = scene;
    const { width, height } = context.canvas;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = scale < 1;
    context.imageSmoothingQuality = 'high';
    context.drawImage(this.far, x, y, cols * scale, rows * scale);
    context.setTransform(scale, 0, 0, scale, x, y);
    const top = Math.max(0, Math.floor(-y / scale));
    const left = Math.max(0, Math.floor(-x / scale));
    const bottom = Math.min(rows, Math.ceil((height - y) / scale));
    const right = Math.min(cols, Math.ceil((width - x) / scale));
    const near = scale / ratio >= NEAR;
    if (near && scene.tiles) this.seams(context, scene.tiles.board, { top, left, bottom, right });
    if (near && !scene.chequered && !scene.tiles) this.grid(context, { top, left, bottom, right }, scale);
    if (scene.tour && near) this.way(context, scene.tour, { top, left, bottom, right }, scale / ratio >= READABLE);
    // A queen is at least three pixels wide, however far she is.
    const least = Math.max(1, (3 * ratio) / scale);
    const queen = new Path2D(QUEEN);
    for (const { key, given } of scene.queens) {
      const [row, col] = squareOf(key);
      if (row + 1 < top || row > bottom || col + 1 < left || col > right) continue;
      context.fillStyle = given ? colors.ink : colors.accent;
      if (near) {
        context.translate(col, row);
        context.fill(queen);
        context.translate(-col, -row);
      } else {
        context.fillRect(col + 0.5 - least / 2, row + 0.5 - least / 2, least, least);
      }
    }
    const ends = scene.tour
      ? [scene.tour.path[0], scene.tour.path[scene.tour.path.length - 1]].map(at => keyOf(Math.floor(at / cols), at % cols))
      : [scene.start, scene.end];
    const radius = Math.max(0.34, (5 * ratio) / scale);
    ends.forEach((key, at) => {
      if (key === null) return;
      const [row, col] = squareOf(key);
      context.fillStyle = at ? colors.end : colors.start;
      context.strokeStyle = colors.paper;
      context.lineWidth = radius / 3;
      context.beginPath();
      if (at) context.rect(col + 0.5 - radius, row + 0.5 - radius, 2 * radius, 2 * radius);
      else context.arc(col + 0.5, row + 0.5, radius, 0, 7);
      context.stroke();
      context.fill();
    });
    if (scene.tour && scene.tour.step < scene.tour.path.length) this.knight(context, scene.tour, (24 * ratio) / scale);
    context.lineWidth = (1.5 * ratio) / scale;
    context.strokeStyle = colors.ink;
    context.strokeRect(0, 0, cols, rows);
    for (const [which, square] of Object.entries(this.points)) {
      if (!square) continue;
      const wide = Math.max(1, (9 * ratio) / scale);
      context.strokeStyle = colors.ink;
      context.lineWidth = ((which === 'cursor' ? 5 : 3) * ratio) / scale;
      const at = [square[1] + 0.5 - wide / 2, square[0] + 0.5 - wide / 2];
      context.strokeRect(at[0], at[1], wide, wide);
      context.strokeStyle = which === 'cursor' ? colors.accent : colors.paper;
      context.lineWidth = ((which === 'cursor' ? 3 : 1) * ratio) / scale;
      context.strokeRect(at[0], at[1], wide, wide);
    }
  }

  /**
   * The gaps between tiles.
   * @param {CanvasRenderingContext2D} context
   * @param {number[][]} board
   * @param {{top: number, left: number, bottom: number, right: number}} sight
   */
  seams(context, board, { top, left, bottom, right }) {
    context.beginPath();
    for (let row = top; row < bottom; row++) {
      for (let col = left; col < right; col++) {
        const tile = board[row][col];
        if (col > 0 && board[row][col - 1] !== tile) {
          context.moveTo(col, row);
          context.lineTo(col, row + 1);
        }
        if (row > 0 && board[row - 1][col] !== tile) {
          context.moveTo(col, row);
          context.lineTo(col + 1, row);
        }
      }
    }
    context.strokeStyle = this.colors.paper;
    context.lineWidth = 0.12;
    context.lineCap = 'round';
    context.stroke();
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {{top: number, left: number, bottom: number, right: number}} sight
   * @param {number} scale
   */
  grid(context, { top, left, bottom, right }, scale) {
    context.beginPath();
    for (let row = top; row <= bottom; row++) {
      context.moveTo(left, row);
      context.lineTo(right, row);
    }
    for (let col = left; col <= right; col++) {
      context.moveTo(col, top);
      context.lineTo(col, bottom);
    }
    context.strokeStyle = this.colors.shade;
    context.lineWidth = 1 / scale;
    context.stroke();
  }

  /**
   * The moves from and to the squares in sight, and their numbers.
   * @param {CanvasRenderingContext2D} context
   * @param {import('./scene.js').Tour} tour
   * @param {{top: number, left: number, bottom: number, right: number}} sight
   * @param {boolean} numbered
   */
  way(context, { path, closed, step }, { top, left, bottom, right }, numbered) {
    const { cols } = /** @type {Scene} */ (this.scene);
    const inSight = (/** @type {number} */ square) => {
      const [row, col] = [Math.floor(square / cols), square % cols];
      return row >= top - 2 && row < bottom + 2 && col >= left - 2 && col < right + 2;
    };
    context.beginPath();
    const moves = step >= path.length && closed ? path.length : step - 1;
    /** @type {number[]} */
    const numbers = [];
    for (let at = 0; at < step; at++) {
      const here = path[at];
      if (!inSight(here)) continue;
      numbers.push(at);
      for (const [from, to] of [[at - 1, at], [at, at + 1]]) {
        if (from < 0 || to > moves) continue;
        const [one, other] = [path[from], path[to % path.length]];
        context.moveTo((one % cols) + 0.5, Math.floor(one / cols) + 0.5);
        context.lineTo((other % cols) + 0.5, Math.floor(other / cols) + 0.5);
      }
    }
    context.strokeStyle = this.colors.paper;
    context.lineWidth = 0.1;
    context.lineCap = 'round';
    context.stroke();
    if (!numbered) return;
    // As large as lets the longest number stay within its square.
    const height = Math.min(0.34, 1.4 / String(path.length).length);
    context.font = `600 ${height}px ${getComputedStyle(this.host).fontFamily}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    for (const at of numbers) {
      const [x, y] = [(path[at] % cols) + 0.5, Math.floor(path[at] / cols) + 0.5];
      context.lineWidth = height / 3;
      context.lineJoin = 'round';
      context.strokeStyle = this.colors.paper;
      context.strokeText(String(at + 1), x, y);
      context.fillStyle = this.colors.ink;
      context.fillText(String(at + 1), x, y);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {import('./scene.js').Tour} tour
   * @param {number} least
   */
  knight(context, { path, step }, least) {
    const { cols } = /** @type {Scene} */ (this.scene);
    const square = path[step - 1];
    const wide = Math.max(1, least);
    context.save();
    context.translate((square % cols) + 0.5 - wide / 2, Math.floor(square / cols) + 0.5 - wide / 2);
    context.scale(wide, wide);
    context.fillStyle = this.colors.ink;
    context.strokeStyle = this.colors.paper;
    context.lineWidth = 0.1;
    const shape = new Path2D(KNIGHT);
    context.stroke(shape);
    context.fill(shape);
    context.restore();
  }

  /**
   * The whole board on a canvas of its own, for a file.
   * @param {number} pixels the longer side
   */
  picture(pixels) {
    const { rows, cols } = /** @type {Scene} */ (this.scene);
    const canvas = document.createElement('canvas');
    const scale = (pixels - 4) / Math.max(rows, cols);
    canvas.width = Math.round(cols * scale) + 4;
    canvas.height = Math.round(rows * scale) + 4;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const { points } = this;
    this.points = { cursor: null, hover: null };
    this.render(context, { x: 2, y: 2, scale }, 1);
    this.points = points;
    // What is transparent on the page is paper in a file.
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalCompositeOperation = 'destination-over';
    context.fillStyle = this.colors.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    return canvas;
  }

  remove() {
    this.watch.disconnect();
    this.theme.removeEventListener('change', this.themed);
    this.canvas.remove();
  }
}

/**
 * A colour of the style sheet, which writes them as six hexadecimal digits.
 * @param {string} color
 * @returns {Rgb}
 */
function rgb(color) {
  const number = Number.parseInt(color.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

/** @param {Rgb} color */
const word = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/**
 * @param {number} part how far along the tour, from 0 to 1
 * @returns {Rgb}
 */
function course(part) {
  const at = part * (COURSE.length - 1);
  const from = COURSE[Math.floor(at)];
  const to = COURSE[Math.ceil(at)];
  const share = at - Math.floor(at);
  return /** @type {Rgb} */ (from.map((value, which) => Math.round(value + (to[which] - value) * share)));
}
