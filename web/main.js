// The page: holds what is set, keeps the address, the controls and the board in step with it, and asks the server.

import { ask, askFor, Problem } from './api.js';
import { Board } from './board.js';
import { byId, digits, html } from './dom.js';
import { knightTour } from './knight-tour.js';
import { queens, REGIONS } from './queens.js';
import { TINTS } from './scene.js';
import { DRAWN, fresh, hashOf, PAGE, parse, regionsOf, requestOf, sizeOf, squareOf } from './state.js';
import { blobOf, copy, png, preview, save, written } from './take-away.js';
import { tromino } from './tromino.js';

/** @typedef {import('./api.js').Answered} Answered */
/** @typedef {import('./state.js').Settings} Settings */
/** @typedef {import('./state.js').WordName} WordName */

/** How long a request may take before the page says that it waits, in milliseconds. */
const PATIENCE = 150;

/** The longer side of a saved PNG, in pixels. */
const PIXELS = 2000;

const PUZZLES = { tromino, 'knight-tour': knightTour, queens };

const board = byId('board', HTMLElement);
const form = byId('settings', HTMLFormElement);
const player = byId('player', HTMLElement);
const step = byId('step', HTMLInputElement);
const walker = byId('walker', HTMLElement);
const solution = byId('solution', HTMLInputElement);
const atOnce = byId('at-once', HTMLInputElement);

let base = '0';
/** @type {Settings} */
let settings = fresh('tromino');
/** What was set of the puzzles that aren't shown, as addresses. @type {Record<string, string>} */
const others = {};
/** @type {{answered: Answered, of: string} | null} */
let current = null;
/** @type {AbortController | null} */
let running = null;
let tool = 'hole';
let region = 0;
let playing = 0;
/** The square under the pointer. @type {number | null} */
let pointed = null;
/** The last thing that was asked to be done in the background. */
let patient = '';

const puzzle = () => PUZZLES[settings.puzzle];
const answer = () => current?.answered.answer ?? null;

const view = new Board(board, {
  begin(key, shift) {
    pause();
    settings.step = null;
    settings.solution = 0;
    return puzzle().brush(settings, key, { tool, shift, region });
  },
  changed: () => draw(),
  ended: () => changed(),
  pointed(key) {
    pointed = key;
    drawReadout();
  },
  moved: key => say(told(key)),
  dragPaints: () => byId('drag-paints', HTMLInputElement).checked,
});

/** @type {import('./scene.js').Scene} */
let scene = puzzle().scene(settings, null);

/**
 * A square and what is on it, in words.
 * @param {number} key
 */
const told = key => `row ${squareOf(key)[0] + Number(base)}, column ${squareOf(key)[1] + Number(base)}: ${puzzle().square(scene, key)}`;

/**
 * Tells a screen reader.
 * @param {string} text
 */
const say = text => (byId('live', HTMLElement).textContent = text);

// -- From the settings to the page ------------------------------------------------------------------------------------

/** Draws the board and what depends on it. */
function draw() {
  scene = puzzle().scene(settings, answer());
  scene.base = Number(base);
  view.show(scene);
  byId('view', HTMLElement).hidden = !view.canvas;
  const short = (/** @type {number} */ key) => `(${squareOf(key).map(at => at + Number(base)).join(', ')})`;
  byId('words', HTMLElement).textContent = puzzle().words(scene, short);
  board.setAttribute('aria-label', `${scene.label}, ${scene.rows} rows, ${scene.cols} columns`);
  drawReadout();
  drawPlayer();
  drawWalker();
}

function drawReadout() {
  byId('readout', HTMLElement).textContent = pointed === null ? '' : told(pointed);
}

function drawPlayer() {
  const { tour } = scene;
  player.hidden = !tour || tour.path.length < 2;
  if (!tour) {
    pause();
    return;
  }
  step.max = String(tour.path.length);
  step.value = String(tour.step);
  byId('step-text', HTMLOutputElement).textContent = `${digits(tour.step)} of ${digits(tour.path.length)}`;
}

function drawWalker() {
  const total = answer()?.solutions ? countOfSolutions() : 0;
  walker.hidden = settings.puzzle !== 'queens' || total < 2;
  solution.max = String(total);
  solution.value = String(settings.solution + 1);
  byId('solution-text', HTMLOutputElement).textContent = `${digits(settings.solution + 1)} of ${solutionTotal(total)}`;
}

/** How many solutions there are to walk through: all of them, if they are counted. */
function countOfSolutions() {
  const { solutions = [], solution_count: all, fundamental_count: fundamental } = answer() ?? {};
  const here = settings.solution - (settings.solution % PAGE) + solutions.length;
  if (requestOf(settings).query.includes('limit=') === false) return solutions.length;
  return Math.max(here, (settings.words.distinct ? fundamental : all) ?? here);
}

/** @param {number} total */
function solutionTotal(total) {
  const known = settings.words.distinct ? answer()?.fundamental_count : answer()?.solution_count;
  return typeof known === 'number' ? digits(total) : `${digits(total)} or more`;
}

/** Brings the controls to what is set. */
function drawForm() {
  const { words } = settings;
  for (const element of document.querySelectorAll('[data-for]')) {
    const isShown = (element.getAttribute('data-for') ?? '').split(' ').includes(settings.puzzle);
    /** @type {HTMLElement} */ (element).hidden = !isShown;
    // A control of another puzzle has no say, and two puzzles may have controls of one name.
    for (const control of element.querySelectorAll('input, select')) /** @type {HTMLInputElement} */ (control).disabled = !isShown;
  }
  for (const control of controls()) {
    const value = words[/** @type {WordName} */ (control.name)];
    if (control instanceof HTMLInputElement && control.type === 'checkbox') control.checked = value === wordOf(control);
    else {
      if (control instanceof HTMLSelectElement && ![...control.options].some(option => option.value === value)) {
        control.append(new Option(value, value));
      }
      control.value = value;
    }
  }
  byId('square', HTMLInputElement).checked = settings.square;
  byId('base', HTMLSelectElement).value = base;
  drawSize();
}

/** Brings the controls of the size to what is set. */
function drawSize() {
  const { square, words, puzzle } = settings;
  byId('cols-field', HTMLElement).hidden = square || puzzle === 'queens';
  const label = puzzle === 'queens' ? 'Queens' : square ? 'Side' : 'Rows';
  byId('rows-label', HTMLElement).textContent = label;
  byId('rows-slider', HTMLInputElement).setAttribute('aria-label', `${label}, to 64`);
  if (square) words.cols = words.rows;
  for (const name of /** @type {const} */ (['rows', 'cols'])) {
    byId(`${name}-slider`, HTMLInputElement).value = words[name];
    byId(name, HTMLInputElement).value = words[name];
  }
}

/** The controls that hold a field of the shown puzzle. */
const controls = () =>
  [...form.elements].filter(element =>
    (element instanceof HTMLInputElement || element instanceof HTMLSelectElement) && element.name !== '' && !element.disabled)
    .map(element => /** @type {HTMLInputElement | HTMLSelectElement} */ (element));

/**
 * What a ticked box says.
 * @param {HTMLInputElement} box
 */
const wordOf = box => box.getAttribute('value') ?? 'true';

/** Lays out what belongs to the puzzle. */
function drawPuzzle() {
  const { lead, tools, examples } = puzzle();
  byId('lead', HTMLElement).textContent = lead;
  document.title = `${lead} – Chessboard solver`;
  for (const link of document.querySelectorAll('[data-puzzle]')) {
    const name = link.getAttribute('data-puzzle') ?? '';
    if (name === settings.puzzle) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
    link.setAttribute('href', others[name] ?? `#/${name}`);
  }
  tool = tools.some(({ id }) => id === tool) ? tool : tools[0].id;
  const fieldset = byId('tools', HTMLFieldSetElement);
  fieldset.hidden = tools.length < 2;
  fieldset.replaceChildren(fieldset.children[0], ...tools.map(({ id, label }) =>
    html('label', {}, html('input', { type: 'radio', name: 'tool', value: id, checked: id === tool }), html('span', {}, label))));
  byId('examples', HTMLElement).replaceChildren(
    ...examples.map(([label, href]) => html('li', {}, html('a', { href }, label))));
  drawTool();
}

function drawTool() {
  const chosen = puzzle().tools.find(({ id }) => id === tool) ?? puzzle().tools[0];
  const legend = settings.puzzle === 'knight-tour' && view.canvas ? ' The colours run from dark, where the tour begins, to bright.' : '';
  const count = sizeOf(settings)?.rows ?? 0;
  byId('hint-pointer', HTMLElement).textContent =
    tool === 'region' && count > REGIONS ? `Boards to ${REGIONS} × ${REGIONS} can have regions.` : chosen.hint + legend;
  byId('hint-keys', HTMLElement).textContent = chosen.keys;
  const palette = byId('palette', HTMLFieldSetElement);
  palette.hidden = tool !== 'region' || count === 0 || count > REGIONS;
  if (palette.hidden) return;
  region = Math.min(region, count - 1);
  palette.replaceChildren(palette.children[0], ...Array.from({ length: count }, (_, at) =>
    html('label', { class: `tint${at % TINTS}` },
      html('input', { type: 'radio', name: 'region', value: at, checked: at === region }), html('span', {}, String(at + 1)))));
}

/** Keeps the address. Browsers bear only so many changes a second. */
let saving = 0;
function keepAddress() {
  clearTimeout(saving);
  saving = setTimeout(() => {
    const hash = hashOf(settings, base);
    if (location.hash !== hash) history.replaceState(null, '', hash);
    drawAway();
  }, 100);
}

// -- Solving ------------------------------------------------------------------------------------------------------------

/** Something was set. */
function changed() {
  pause();
  if (atOnce.checked) void solve();
  else {
    stop();
    if (current && current.of !== keyOfRequest()) {
      current = null;
      verdict('idle', 'Not solved yet');
    }
    draw();
  }
  keepAddress();
}

const keyOfRequest = () => JSON.stringify(requestOf(settings));

/** Ends what is being waited for. */
function stop() {
  running?.abort(new DOMException('Cancelled', 'AbortError'));
  running = null;
  byId('verdict', HTMLElement).removeAttribute('aria-busy');
}

/** Asks the server for what is set. */
async function solve() {
  stop();
  const request = requestOf(settings);
  const key = JSON.stringify(request);
  const size = sizeOf(settings);
  const controller = (running = new AbortController());
  byId('verdict', HTMLElement).setAttribute('aria-busy', 'true');
  if (size && size.rows * size.cols > DRAWN) {
    stop();
    fail({ title: 'Too large to draw', detail: `The page draws boards of up to ${digits(DRAWN)} squares.`, errors: [] });
    return;
  }
  const began = performance.now();
  const busy = byId('running', HTMLElement);
  const progress = byId('progress', HTMLProgressElement);
  progress.removeAttribute('value');
  const elapsed = () => {
    const text = `${((performance.now() - began) / 1000).toFixed(1)} s`;
    byId('elapsed', HTMLElement).textContent = `Solving… ${text}`;
  };
  const wait = setTimeout(() => {
    busy.hidden = false;
    board.setAttribute('aria-busy', 'true');
    byId('verdict', HTMLElement).classList.add('busy');
    say('Solving');
    elapsed();
  }, PATIENCE);
  const tick = setInterval(elapsed, 100);
  try {
    const { count, unique } = settings.words;
    const background = count === 'true' || unique === 'true' || patient === key;
    const told = (/** @type {import('./api.js').Job} */ job) => {
      const { done = 0, total = 0 } = job.progress ?? {};
      if (total > 0) {
        progress.max = total;
        progress.value = done;
      }
    };
    const answered = await ask(request, { signal: controller.signal, background, told });
    if (running !== controller) return;
    current = { answered, of: key };
    succeed(answered);
  } catch (error) {
    if (running !== controller) return;
    if (!(error instanceof Problem)) throw error;
    fail(error.details);
  } finally {
    clearTimeout(wait);
    clearInterval(tick);
    if (running === controller || running === null) {
      running = null;
      busy.hidden = true;
      byId('verdict', HTMLElement).removeAttribute('aria-busy');
      board.removeAttribute('aria-busy');
      byId('verdict', HTMLElement).classList.remove('busy');
    }
    keepAddress();
  }
}

/** @param {Answered} answered */
function succeed({ answer, milliseconds }) {
  clearFaults();
  const titles = {
    solved: 'Solved',
    impossible: 'Impossible',
    stuck: `Stuck after ${digits(answer.board?.flat().filter(number => number > 0).length ?? 0)} squares`,
  };
  /** @type {[string, string][]} */
  const facts = answer.status === 'impossible'
    ? [/** @type {[string, string]} */ (['Proven by', answer.proof ?? ''])]
    : puzzle().facts(answer, settings);
  if (milliseconds !== null) facts.push(['Took', milliseconds < 1 ? 'under 1 ms' : `${digits(Math.round(milliseconds))} ms`]);
  const reason = answer.reason ??
    (answer.status === 'stuck' ? 'The rule alone led into a dead end. Let the server choose the method, or begin elsewhere.' : '');
  draw();
  verdict(answer.status, titles[answer.status], reason, facts);
}

/** @param {import('./api.js').ProblemDetails} details */
function fail({ type = '', title, detail, errors = [] }) {
  clearFaults();
  current = null;
  draw();
  // A list of faults says all that the detail does.
  verdict('problem', title, errors.length > 0 ? '' : detail);
  const list = byId('faults', HTMLElement);
  for (const { field, detail } of errors) {
    list.append(html('li', {}, html('b', {}, field), ` ${detail}`));
    const name = field === 'size' ? 'rows' : field.replace(/\W.*/, '');
    const control = controls().find(control => control.name === name);
    const place = document.getElementById(`${name}-fault`);
    if (control && place) {
      control.setAttribute('aria-invalid', 'true');
      control.setAttribute('aria-describedby', place.id);
      place.textContent = detail;
    }
  }
  byId('background', HTMLButtonElement).hidden = !type.endsWith('/solve-timeout');
}

function clearFaults() {
  byId('faults', HTMLElement).replaceChildren();
  byId('background', HTMLButtonElement).hidden = true;
  for (const place of form.querySelectorAll('.fault')) place.textContent = '';
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid');
    control.removeAttribute('aria-describedby');
  }
}

/**
 * Says how it went.
 * @param {string} kind
 * @param {string} title
 * @param {string} [reason]
 * @param {[string, string][]} [facts]
 */
function verdict(kind, title, reason = '', facts = []) {
  const heading = byId('verdict-title', HTMLElement);
  heading.textContent = title;
  heading.dataset.kind = kind;
  byId('reason', HTMLElement).textContent = reason;
  byId('facts', HTMLElement).replaceChildren(
    ...facts.map(([name, value]) => html('div', {}, html('dt', {}, name), html('dd', {}, value))));
  const told = facts.map(([name, value]) => `${name}: ${value}`).join('; ');
  say([`${title}.`, reason, told].filter(Boolean).join(' '));
}

// -- Take away ----------------------------------------------------------------------------------------------------------

let wanted = /** @type {import('./take-away.js').Form} */ ('link');
let copyable = '';

async function drawAway() {
  const asked = wanted;
  if (asked === 'text') byId('copyable', HTMLElement).textContent = '…';
  const text = await written(asked, requestOf(settings), current?.answered.text ?? null);
  if (asked !== wanted) return;
  copyable = text;
  byId('copyable', HTMLElement).textContent = preview(text);
}

/** @param {string} extension */
const fileName = extension => `${settings.puzzle}-${scene.rows}x${scene.cols}.${extension}`;

async function saveSvg() {
  const text = view.canvas ? await askFor(requestOf(settings), 'image/svg+xml') : /** @type {import('./svg-view.js').SvgView} */ (view.view).picture();
  save(fileName('svg'), new Blob([text], { type: 'image/svg+xml' }));
}

async function savePng() {
  if (view.canvas) {
    save(fileName('png'), await blobOf(view.canvas.picture(Math.max(PIXELS, scene.rows, scene.cols))));
    return;
  }
  const { view: drawn } = view;
  if ('picture' in drawn && 'root' in drawn) {
    const { width, height } = drawn.root.viewBox.baseVal;
    const scale = PIXELS / Math.max(width, height);
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    const text = drawn.picture().replace('<svg ', `<svg width="${wide}" height="${high}" `);
    save(fileName('png'), await png(text, wide, high));
  }
}

// -- The tour -----------------------------------------------------------------------------------------------------------

/** @param {number} to */
function showStep(to) {
  const { tour } = scene;
  if (!tour) return;
  const at = Math.min(tour.path.length, Math.max(1, to));
  settings.step = at === tour.path.length ? null : at;
  view.view.step(at);
  drawPlayer();
}

function pause() {
  cancelAnimationFrame(playing);
  playing = 0;
  byId('play', HTMLButtonElement).textContent = 'Play';
}

function play() {
  const { tour } = scene;
  if (!tour) return;
  if (tour.step >= tour.path.length) showStep(1);
  byId('play', HTMLButtonElement).textContent = 'Pause';
  let before = performance.now();
  let due = 0;
  const frame = (/** @type {number} */ now) => {
    due += ((now - before) / 1000) * speed();
    before = now;
    const moves = Math.floor(due);
    due -= moves;
    if (moves > 0) showStep(tour.step + moves);
    if (tour.step >= tour.path.length) {
      pause();
      keepAddress();
      say('The tour is complete');
    } else playing = requestAnimationFrame(frame);
  };
  playing = requestAnimationFrame(frame);
}

/** Moves a second. */
const speed = () => 2 ** Number(byId('speed', HTMLInputElement).value);

// -- From the page to the settings ----------------------------------------------------------------------------------------

/**
 * Shows what an address says.
 * @param {string} hash
 */
function open(hash) {
  const parsed = parse(hash);
  if (!parsed) return;
  pause();
  stop();
  others[settings.puzzle] = hashOf(settings, '0');
  settings = parsed.settings;
  base = parsed.base === '1' ? '1' : parsed.base === '0' || location.hash.includes('base=') ? '0' : base;
  current = null;
  clearFaults();
  drawForm();
  drawPuzzle();
  draw();
  keepAddress();
  void solve();
}

form.addEventListener('input', event => {
  const control = event.target;
  if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return;
  if (control.id === 'at-once') return;
  if (control.id === 'base') {
    base = control.value;
    draw();
    keepAddress();
    return;
  }
  if (control.id === 'square') settings.square = /** @type {HTMLInputElement} */ (control).checked;
  else if (control.id.endsWith('-slider')) settings.words[/** @type {WordName} */ (control.id.replace('-slider', ''))] = control.value;
  else {
    const name = /** @type {WordName} */ (control.name);
    const isBox = control instanceof HTMLInputElement && control.type === 'checkbox';
    settings.words[name] = isBox ? (control.checked ? wordOf(control) : '') : control.value.trim();
  }
  if (!control.matches('#rows, #cols')) drawSize();
  else if (settings.square) settings.words.cols = settings.words.rows;
  if (control.matches('#rows, #cols')) byId(`${control.id}-slider`, HTMLInputElement).value = control.value;
  settings.solution = 0;
  settings.step = null;
  if (settings.regions && !regionsOf(settings)) settings.regions = null;
  drawTool();
  draw();
  changed();
});

form.addEventListener('submit', event => {
  event.preventDefault();
  void solve();
});

byId('tools', HTMLElement).addEventListener('change', event => {
  tool = /** @type {HTMLInputElement} */ (event.target).value;
  drawTool();
});
byId('palette', HTMLElement).addEventListener('change', event => {
  region = Number(/** @type {HTMLInputElement} */ (event.target).value);
});
byId('forms', HTMLElement).addEventListener('change', event => {
  wanted = /** @type {import('./take-away.js').Form} */ (/** @type {HTMLInputElement} */ (event.target).value);
  void drawAway();
});
step.addEventListener('input', () => {
  pause();
  showStep(Number(step.value));
  keepAddress();
});
const drawSpeed = () => (byId('speed-text', HTMLOutputElement).textContent = `${digits(speed())} a second`);
byId('speed', HTMLInputElement).addEventListener('input', drawSpeed);
solution.addEventListener('input', () => showSolution(Number(solution.value) - 1));

/**
 * Shows a solution, and asks for those around it if they aren't here.
 * @param {number} to
 */
function showSolution(to) {
  const last = Number(solution.max) - 1;
  settings.solution = Math.min(last, Math.max(0, to));
  draw();
  keepAddress();
  say(`Solution ${settings.solution + 1}`);
  if (keyOfRequest() !== current?.of && requestOf(settings).query.includes('limit=')) void solve();
}

/** @type {Record<string, () => unknown>} */
const clicks = {
  clear() {
    puzzle().clear(settings);
    drawTool();
    changed();
    draw();
  },
  shuffle() {
    settings.words.seed = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    settings.solution = 0;
    byId('seed', HTMLInputElement).value = settings.words.seed;
    changed();
  },
  cancel() {
    // The button is about to go, and must not take the focus with it.
    if (document.activeElement === byId('cancel', HTMLElement)) byId('solve', HTMLElement).focus();
    stop();
    current = null;
    draw();
    verdict('idle', 'Cancelled', 'The server has stopped working on it.');
  },
  background() {
    settings.words.timeout_ms = '';
    drawForm();
    patient = keyOfRequest();
    keepAddress();
    void solve();
  },
  play: () => (playing ? (pause(), keepAddress()) : play()),
  back: () => (pause(), showStep((scene.tour?.step ?? 1) - 1), keepAddress()),
  forth: () => (pause(), showStep((scene.tour?.step ?? 1) + 1), keepAddress()),
  former: () => showSolution(settings.solution - 1),
  next: () => showSolution(settings.solution + 1),
  'zoom-in': () => view.canvas?.zoom(1.5),
  'zoom-out': () => view.canvas?.zoom(1 / 1.5),
  'zoom-fit': () => view.canvas?.fit(),
  async copy() {
    await drawAway();
    await copy(copyable);
    say('Copied');
    const button = byId('copy', HTMLButtonElement);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  },
  'save-svg': saveSvg,
  'save-png': savePng,
};
for (const [id, act] of Object.entries(clicks)) {
  byId(id, HTMLButtonElement).addEventListener('click', () => {
    byId('away-fault', HTMLElement).textContent = '';
    void (async () => act())().catch(report);
  });
}

/**
 * Says what went wrong with taking something away.
 * @param {unknown} error
 */
function report(error) {
  const text = error instanceof Problem ? error.details.detail : String(error instanceof Error ? error.message : error);
  byId('away-fault', HTMLElement).textContent = text;
  say(text);
}

addEventListener('keydown', event => {
  if (event.key === 'Escape' && running) clicks.cancel();
});
addEventListener('hashchange', () => open(location.hash));

drawSpeed();
open(parse(location.hash) ? location.hash : '#/tromino?size=8&holes=2,5');
