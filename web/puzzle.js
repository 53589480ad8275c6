// What the page needs to know of a puzzle; each has a module of its own.

/** @typedef {import('./api.js').Answer} Answer */
/** @typedef {import('./scene.js').Scene} Scene */
/** @typedef {import('./state.js').Settings} Settings */

/**
 * @typedef {object} Tool
 * @property {string} id
 * @property {string} label
 * @property {string} hint how to use it with a pointer
 * @property {string} keys and with the keyboard
 */

/**
 * How a square is touched.
 * @typedef {object} Touch
 * @property {string} tool
 * @property {boolean} shift
 * @property {number} region
 */

/**
 * @typedef {object} Puzzle
 * @property {string} lead what there is to do, as a heading
 * @property {Tool[]} tools
 * @property {(settings: Settings, key: number, touch: Touch) => (key: number) => void} brush begins to touch squares at
 *   one; what it returns is called for that one and each that follows while the pointer is down
 * @property {(settings: Settings) => void} clear takes everything off the board
 * @property {(settings: Settings, answer: Answer | null) => Scene} scene
 * @property {(answer: Answer, settings: Settings) => [string, string][]} facts
 * @property {(scene: Scene, key: number) => string} square what is on a square
 * @property {(scene: Scene, say: (key: number) => string) => string} words the board for those who don't see it
 * @property {[string, string][]} examples each with its address
 */

/**
 * The set squares as a set.
 * @param {Set<number>} set
 * @param {number} key
 * @returns {(key: number) => void} what makes squares as this one isn't yet
 */
export function toggler(set, key) {
  const present = set.has(key);
  return key => void (present ? set.delete(key) : set.add(key));
}

/**
 * Keeps at most one square in the set, and none when it was this one.
 * @param {Set<number>} set
 * @param {number} key
 * @returns {(key: number) => void}
 */
export function mover(set, key) {
  const present = set.has(key);
  return key => {
    set.clear();
    if (!present) set.add(key);
  };
}
