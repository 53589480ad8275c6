// The board that a person touches: chooses the view that fits the size, and turns pointer and keys into squares.

import { CanvasView } from './canvas-view.js';
import { SMALL } from './scene.js';
import { keyOf } from './state.js';
import { SvgView } from './svg-view.js';

/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {[number, number]} Square */

/**
 * What the page does about touches.
 * @typedef {object} Listener
 * @property {(key: number, shift: boolean) => (key: number) => void} begin
 * @property {() => void} changed after each square that was touched
 * @property {() => void} ended when the pointer is up again
 * @property {(key: number | null) => void} pointed where the pointer is
 * @property {(key: number) => void} moved where the keyboard's cursor is
 * @property {() => boolean} dragPaints whether dragging on a canvas paints instead of moving the board
 */

/** How far a pointer may move, in pixels, and still click. */
const STILL = 5;

export class Board {
  /**
   * @param {HTMLElement} host
   * @param {Listener} listener
   */
  constructor(host, listener) {
    this.host = host;
    this.listener = listener;
    /** @type {SvgView | CanvasView} */
    this.view = new SvgView(host);
    /** @type {Scene | null} */
    this.scene = null;
    /** @type {Square} */
    this.cursor = [0, 0];
    /** @type {Map<number, {x: number, y: number}>} */
    this.pointers = new Map();
    /** @type {{brush: ((key: number) => void) | null, last: Square | null, from: {x: number, y: number}, shift: boolean} | null} */
    this.stroke = null;
    host.addEventListener('pointerdown', event => this.down(event));
    host.addEventListener('pointermove', event => this.move(event));
    host.addEventListener('pointerup', event => this.up(event));
    host.addEventListener('pointercancel', event => this.up(event));
    host.addEventListener('pointerleave', () => this.point(null));
    host.addEventListener('wheel', event => this.wheel(event), { passive: false });
    host.addEventListener('keydown', event => this.key(event));
    host.addEventListener('focus', () => host.matches(':focus-visible') && this.view.point('cursor', this.cursor));
    host.addEventListener('blur', () => this.view.point('cursor', null));
    this.view.point('cursor', null);
    this.point(null);
  }

  /** The view, if it is one that can be zoomed. */
  get canvas() {
    return this.view instanceof CanvasView ? this.view : null;
  }

  /** @param {Scene} scene */
  show(scene) {
    const small = Math.max(scene.rows, scene.cols) <= SMALL;
    if (small !== this.view instanceof SvgView) {
      this.view.remove();
      this.view = small ? new SvgView(this.host) : new CanvasView(this.host);
      this.view.point('cursor', null);
      this.view.point('hover', null);
    }
    this.host.classList.toggle('large', !small);
    this.scene = scene;
    this.cursor = [Math.min(this.cursor[0], scene.rows - 1), Math.min(this.cursor[1], scene.cols - 1)];
    this.view.show(scene);
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    this.host.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.pointers.size > 1) {
      this.stroke = null;
      return;
    }
    const paints = !this.canvas || this.listener.dragPaints();
    const square = this.view.at(event.clientX, event.clientY);
    this.stroke = { brush: null, last: null, from: { x: event.clientX, y: event.clientY }, shift: event.shiftKey };
    if (square) this.cursor = square;
    if (paints && square) this.paint(square);
  }

  /** @param {Square} square */
  paint(square) {
    const { stroke } = this;
    if (!stroke) return;
    const key = keyOf(...square);
    stroke.brush ??= this.listener.begin(key, stroke.shift);
    // A quick pointer skips squares: those on the line between are touched as well.
    for (const [row, col] of line(stroke.last ?? square, square)) stroke.brush(keyOf(row, col));
    stroke.last = square;
    this.listener.changed();
  }

  /** @param {PointerEvent} event */
  move(event) {
    const square = this.view.at(event.clientX, event.clientY);
    this.point(square);
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = { x: event.clientX, y: event.clientY };
    this.pointers.set(event.pointerId, now);
    const { canvas } = this;
    if (this.pointers.size === 2 && canvas) {
      const [other] = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const apart = (/** @type {{x: number, y: number}} */ at) => Math.max(8, Math.hypot(at.x - other.x, at.y - other.y));
      const box = this.host.getBoundingClientRect();
      canvas.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
      canvas.zoom(apart(now) / apart(before), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
    } else if (this.stroke && (!canvas || this.listener.dragPaints())) {
      if (square && (!this.stroke.last || String(square) !== String(this.stroke.last))) this.paint(square);
    } else if (canvas && this.stroke) {
      canvas.pan(now.x - before.x, now.y - before.y);
    }
  }

  /** @param {PointerEvent} event */
  up(event) {
    this.pointers.delete(event.pointerId);
    const { stroke } = this;
    this.stroke = null;
    if (!stroke) return;
    if (stroke.brush) {
      this.listener.ended();
      return;
    }
    const still = Math.hypot(event.clientX - stroke.from.x, event.clientY - stroke.from.y) < STILL;
    const square = this.view.at(event.clientX, event.clientY);
    if (event.type === 'pointerup' && still && square) this.act(square, stroke.shift);
  }

  /**
   * Touches one square.
   * @param {Square} square
   * @param {boolean} shift
   */
  act(square, shift) {
    const key = keyOf(...square);
    this.listener.begin(key, shift)(key);
    this.listener.changed();
    this.listener.ended();
  }

  /** @param {Square | null} square */
  point(square) {
    this.view.point('hover', square);
    this.listener.pointed(square && keyOf(...square));
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    const { canvas } = this;
    if (!canvas) return;
    event.preventDefault();
    const box = this.host.getBoundingClientRect();
    canvas.zoom(1.0015 ** -event.deltaY, event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { scene } = this;
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const [row, col] = this.cursor;
    const last = [scene.rows - 1, scene.cols - 1];
    const steps = /** @type {Record<string, Square>} */ ({
      ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
      Home: [row, 0], End: [row, last[1]], PageUp: [0, col], PageDown: [last[0], col],
    });
    const step = steps[event.key];
    if (step) {
      this.cursor = /** @type {Square} */ (step.map((at, axis) => Math.min(last[axis], Math.max(0, at))));
      this.view.point('cursor', this.cursor);
      this.listener.moved(keyOf(...this.cursor));
    } else if (event.key === ' ' || event.key === 'Enter') {
      this.view.point('cursor', this.cursor);
      this.act(this.cursor, event.shiftKey);
      this.listener.moved(keyOf(...this.cursor));
    } else if (this.canvas && (event.key === '+' || event.key === '=')) this.canvas.zoom(1.5);
    else if (this.canvas && event.key === '-') this.canvas.zoom(1 / 1.5);
    else if (this.canvas && event.key === '0') this.canvas.fit();
    else return;
    event.preventDefault();
  }
}

/**
 * The squares from one to another, as straight as squares go.
 * @param {Square} from
 * @param {Square} to
 * @returns {Square[]}
 */
function line(from, to) {
  const steps = Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]));
  if (steps === 0) return [to];
  return Array.from({ length: steps }, (_, at) => {
    const part = (at + 1) / steps;
    return [Math.round(from[0] + (to[0] - from[0]) * part), Math.round(from[1] + (to[1] - from[1]) * part)];
  });
}
