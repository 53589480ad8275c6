// The tromino puzzle: cover the board, holes left out, with L-shaped tiles.

import { digits } from './dom.js';
import { toggler } from './puzzle.js';
import { emptyScene } from './scene.js';
import { drawnSize, keyOf, squareOf, within } from './state.js';

/** The largest board that is told square by square. */
const TOLD = 16;

/** @type {import('./puzzle.js').Puzzle} */
export const tromino = {
  lead: 'Cover the board with L-shaped tiles',
  tools: [
    {
      id: 'hole',
      label: 'Holes',
      hint: 'Click squares to make holes, or drag over many.',
      keys: 'Arrows move, space makes a hole.',
    },
  ],
  brush: (settings, key) => toggler(settings.squares.holes, key),
  clear: settings => settings.squares.holes.clear(),
  scene(settings, answer) {
    const size = drawnSize(settings);
    const scene = emptyScene(size);
    scene.chequered = false;
    scene.holes = new Set(within(settings, 'holes'));
    const board = answer?.board;
    if (board?.length === size.rows && board[0].length === size.cols && answer?.tile_colors) {
      scene.tiles = { board, colors: answer.tile_colors };
    }
    scene.label = `L-trominoes on ${size.rows} × ${size.cols}`;
    return scene;
  },
  facts(answer) {
    /** @type {[string, string][]} */
    const facts = [['Tiles', digits(answer.tile_count ?? 0)]];
    if (answer.tiling_count) facts.push(['Tilings', digits(answer.tiling_count)]);
    if (answer.method) facts.push(['Found by', answer.method]);
    if (typeof answer.uniform === 'boolean') facts.push(['All equally likely', answer.uniform ? 'yes' : 'no']);
    return facts;
  },
  square(scene, key) {
    if (scene.holes.has(key)) return 'hole';
    const [row, col] = squareOf(key);
    const tile = scene.tiles?.board[row][col];
    return tile ? `tile ${tile}` : 'empty';
  },
  words(scene, say) {
    if (!scene.tiles) {
      return `An empty board of ${scene.rows} rows and ${scene.cols} columns; holes: ${listed([...scene.holes], say)}.`;
    }
    const told = `${scene.tiles.colors.length} tiles; holes: ${listed([...scene.holes], say)}.`;
    if (Math.max(scene.rows, scene.cols) > TOLD) return told;
    const rows = scene.tiles.board.map((row, at) =>
      `Row ${at + scene.base}: ${row.map((_, col) => tromino.square(scene, keyOf(at, col)).replace('tile ', '')).join(' ')}.`);
    return `${told} The number of the tile on each square: ${rows.join(' ')}`;
  },
  examples: [
    ['Any one hole of a power of two', '#/tromino?size=8&holes=2,5'],
    ['A whole board, and in how many ways', '#/tromino?rows=5&cols=9&count=true'],
    ['A frame', '#/tromino?size=10&holes=3,3&holes=3,4&holes=3,5&holes=3,6&holes=4,3&holes=4,4&holes=4,5&holes=4,6&holes=5,3&holes=5,4&holes=5,5&holes=5,6&holes=6,3&holes=6,4&holes=6,5&holes=6,6&seed=4'],
    ['Impossible, though nine squares', '#/tromino?size=3'],
    ['Random, 32 × 33', '#/tromino?rows=32&cols=33&seed=1'],
    ['A thousand by a thousand', '#/tromino?size=1000&holes=618,382'],
  ],
};

/**
 * Squares as a list in words.
 * @param {number[]} keys
 * @param {(key: number) => string} say
 */
export function listed(keys, say) {
  if (keys.length === 0) return 'none';
  return keys.length > 100 ? `${digits(keys.length)} squares` : keys.map(say).join(', ');
}
