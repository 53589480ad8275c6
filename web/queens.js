// The queens: so that none attacks another.

import { digits } from './dom.js';
import { toggler } from './puzzle.js';
import { emptyScene } from './scene.js';
import { drawnSize, keyOf, PAGE, regionsOf, sizeOf, squareOf, within } from './state.js';
import { listed } from './tromino.js';

/** The largest side of a board that can have regions. */
export const REGIONS = 64;

/** @type {import('./puzzle.js').Puzzle} */
export const queens = {
  lead: 'Place queens so that none attacks another',
  tools: [
    {
      id: 'queen',
      label: 'Queens',
      hint: 'Click squares to place queens that have to stand there.',
      keys: 'Arrows move, space places.',
    },
    {
      id: 'block',
      label: 'Barred',
      hint: 'Click squares where no queen may stand, or drag over many.',
      keys: 'Arrows move, space bars.',
    },
    {
      id: 'region',
      label: 'Regions',
      hint: 'Choose a region and drag over its squares: each region takes exactly one queen.',
      keys: 'Arrows move, space paints.',
    },
  ],
  brush(settings, key, { tool, region }) {
    const { squares } = settings;
    if (tool === 'region') {
      if (drawnSize(settings).rows > REGIONS) return () => {};
      const regions = (settings.regions = regionsOf(settings) ?? rowsAsRegions(settings));
      return key => {
        const [row, col] = squareOf(key);
        if (row < regions.length && col < regions.length) regions[row][col] = region;
      };
    }
    if (tool === 'block') {
      const bar = toggler(squares.blocked, key);
      return key => {
        bar(key);
        squares.queens.delete(key);
      };
    }
    const place = toggler(squares.queens, key);
    return at => {
      if (at !== key) return;
      place(key);
      squares.blocked.delete(key);
    };
  },
  clear(settings) {
    settings.squares.queens.clear();
    settings.squares.blocked.clear();
    settings.regions = null;
  },
  scene(settings, answer) {
    const size = drawnSize(settings);
    const scene = emptyScene(size);
    scene.crossed = new Set(within(settings, 'blocked'));
    scene.regions = regionsOf(settings);
    const given = within(settings, 'queens');
    const solution = answer?.solutions?.[settings.solution % PAGE] ?? answer?.solutions?.[0];
    const found = solution?.length === size.rows ? solution.map((col, row) => keyOf(row, col)) : [];
    scene.queens = [
      ...given.map(key => ({ key, given: true })),
      ...found.filter(key => !settings.squares.queens.has(key)).map(key => ({ key, given: false })),
    ];
    scene.label = `${size.rows} queens`;
    return scene;
  },
  facts(answer, settings) {
    /** @type {[string, string][]} */
    const facts = [];
    const fundamental = settings.words.distinct === 'fundamental';
    if (typeof answer.solution_count === 'number') facts.push(['Solutions', digits(answer.solution_count)]);
    if (typeof answer.fundamental_count === 'number') {
      facts.push([fundamental ? 'Listed, none a turn or mirror image of another' : 'But for turns and mirror images', digits(answer.fundamental_count)]);
    }
    if (typeof answer.unique === 'boolean') facts.push(['The only one', answer.unique ? 'yes' : 'no']);
    if (answer.method) facts.push(['Found by', answer.method]);
    if (typeof answer.uniform === 'boolean') facts.push(['All equally likely', answer.uniform ? 'yes' : 'no']);
    return facts;
  },
  square(scene, key) {
    const [row, col] = squareOf(key);
    const queen = scene.queens.find(queen => queen.key === key);
    const region = scene.regions ? `region ${scene.regions[row][col] + 1}` : '';
    const what = queen ? (queen.given ? 'queen, yours' : 'queen') : scene.crossed.has(key) ? 'barred' : region ? '' : 'empty';
    return [what, region].filter(Boolean).join(', ');
  },
  words(scene, say) {
    return `Queens at: ${listed(scene.queens.map(({ key }) => key).sort((one, other) => one - other), say)}. ` +
      `Barred: ${listed([...scene.crossed], say)}.`;
  },
  examples: [
    ['Eight queens', '#/queens?size=8'],
    ['Complete a beginning', '#/queens?size=10&queens=0,2&queens=4,0'],
    ['Regions, one answer', '#/queens?size=8&attack=touch&unique=true&regions=aaaaaabb.aaaaaaab.cccccaaa.ccdddeea.ccccceeg.cccffegg.cccchhgg.ccchhhhh'],
    ['Impossible: two attack each other', '#/queens?size=8&queens=0,0&queens=5,5'],
    ['On a torus', '#/queens?size=13&attack=torus'],
    ['Count eighteen', '#/queens?size=18&count=true'],
    ['A thousand queens', '#/queens?size=1000'],
  ],
};

/**
 * Regions to begin with: each row is one, which changes nothing.
 * @param {import('./state.js').Settings} settings
 */
function rowsAsRegions(settings) {
  const rows = sizeOf(settings)?.rows ?? 0;
  return Array.from({ length: rows }, (_, row) => Array(rows).fill(row));
}
