// The knight's tour: over every square exactly once.

import { digits } from './dom.js';
import { mover, toggler } from './puzzle.js';
import { emptyScene } from './scene.js';
import { drawnSize, keyOf, squareOf, within } from './state.js';
import { listed } from './tromino.js';

/** The longest tour that is told square by square. */
const TOLD = 256;

/** @type {import('./puzzle.js').Puzzle} */
export const knightTour = {
  lead: 'Lead a knight over every square exactly once',
  tools: [
    {
      id: 'start',
      label: 'Start',
      hint: 'Click the square where the tour begins; shift-click the one where it ends.',
      keys: 'Arrows move, space sets the start, shift and enter the end.',
    },
    {
      id: 'end',
      label: 'End',
      hint: 'Click the square where the tour ends.',
      keys: 'Arrows move, space sets the end.',
    },
    {
      id: 'block',
      label: 'Blocked',
      hint: 'Click squares that are not part of the board, or drag over many.',
      keys: 'Arrows move, space blocks.',
    },
  ],
  brush({ squares }, key, { tool, shift }) {
    if (tool === 'block') {
      const block = toggler(squares.blocked, key);
      return key => {
        block(key);
        squares.start.delete(key);
        squares.end.delete(key);
      };
    }
    const which = tool === 'end' || shift ? 'end' : 'start';
    const move = mover(squares[which], key);
    return key => {
      move(key);
      squares.blocked.delete(key);
    };
  },
  clear({ squares }) {
    squares.start.clear();
    squares.end.clear();
    squares.blocked.clear();
  },
  scene(settings, answer) {
    const size = drawnSize(settings);
    const scene = emptyScene(size);
    scene.holes = new Set(within(settings, 'blocked'));
    scene.start = within(settings, 'start')[0] ?? null;
    scene.end = within(settings, 'end')[0] ?? null;
    const board = answer?.board;
    if (board?.length === size.rows && board[0].length === size.cols) {
      const path = pathOf(board);
      const closed = answer?.closed === true && answer.status === 'solved';
      scene.tour = { path, closed, step: Math.min(settings.step ?? path.length, path.length) };
    }
    scene.label = `Knight’s tour on ${size.rows} × ${size.cols}`;
    return scene;
  },
  facts(answer) {
    /** @type {[string, string][]} */
    const facts = [['Squares', digits(answer.square_count ?? 0)]];
    if (answer.tour_count) facts.push(['Tours', digits(answer.tour_count)]);
    if (typeof answer.unique === 'boolean') facts.push(['The only one', answer.unique ? 'yes' : 'no']);
    if (answer.method) facts.push(['Found by', answer.method]);
    if (answer.backtracks) facts.push(['Steps taken back', digits(answer.backtracks)]);
    return facts;
  },
  square(scene, key) {
    if (scene.holes.has(key)) return 'blocked';
    const [row, col] = squareOf(key);
    const number = scene.tour ? scene.tour.path.indexOf(row * scene.cols + col) + 1 : 0;
    const ends = [key === scene.start && 'start', key === scene.end && 'end'].filter(Boolean);
    return [...(number ? [`number ${number}`] : []), ...ends].join(', ') || 'empty';
  },
  words(scene, say) {
    const blocked = `blocked: ${listed([...scene.holes], say)}.`;
    if (!scene.tour) return `No tour on a board of ${scene.rows} rows and ${scene.cols} columns; ${blocked}`;
    const { path, closed } = scene.tour;
    const told = `${closed ? 'A closed tour' : 'A tour'} of ${path.length} squares; ${blocked}`;
    if (path.length > TOLD) return told;
    const squares = [...path].map(square => say(keyOf(Math.floor(square / scene.cols), square % scene.cols)));
    return `${told} In order: ${squares.join(', ')}.`;
  },
  examples: [
    ['Round and back', '#/knight-tour?size=8&closed=true'],
    ['From corner to corner', '#/knight-tour?rows=7&cols=9&start=0,0&end=6,8'],
    ['Around a hole', '#/knight-tour?size=8&blocked=3,3&blocked=3,4&blocked=4,3&blocked=4,4'],
    ['Impossible: five by five, closed', '#/knight-tour?size=5&closed=true'],
    ['Warnsdorff’s rule, stuck', '#/knight-tour?size=7&start=0,1&method=warnsdorff'],
    ['A camel', '#/knight-tour?size=5&blocked=0,1&leaper=1,3'],
    ['A million squares', '#/knight-tour?size=1000&closed=true'],
  ],
};

/**
 * The squares in the order of their numbers.
 * @param {number[][]} board
 */
function pathOf(board) {
  const cols = board[0].length;
  const path = new Int32Array(board.length * cols);
  let length = 0;
  for (let row = 0; row < board.length; row++) {
    for (let col = 0; col < cols; col++) {
      const number = board[row][col];
      if (number > 0) {
        path[number - 1] = row * cols + col;
        length++;
      }
    }
  }
  return path.subarray(0, length);
}
