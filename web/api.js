// The way to the server and back: a request with an answer, a problem, or a job that is followed to its end.

/** @typedef {import('./state.js').Request} Request */

/**
 * A problem as RFC 9457 has it, or one that the page found itself.
 * @typedef {object} ProblemDetails
 * @property {string} [type]
 * @property {string} title
 * @property {string} detail
 * @property {{field: string, detail: string}[]} [errors]
 */

/**
 * What a job says of itself.
 * @typedef {object} Job
 * @property {string} status
 * @property {{done: number, total: number} | null} [progress]
 * @property {Answer | null} [result]
 * @property {ProblemDetails | null} [problem]
 */

/**
 * What a puzzle answers: the members that the page reads.
 * @typedef {object} Answer
 * @property {'solved' | 'impossible' | 'stuck'} status
 * @property {string} [reason]
 * @property {string} [proof]
 * @property {string} [method]
 * @property {number} [rows]
 * @property {number} [cols]
 * @property {number} [size]
 * @property {number[][] | null} board
 * @property {number} [tile_count]
 * @property {number[]} [tile_colors]
 * @property {string | null} [tiling_count]
 * @property {boolean | null} [uniform]
 * @property {boolean | null} [unique]
 * @property {boolean} [closed]
 * @property {[number, number]} [start]
 * @property {[number, number]} [end]
 * @property {number} [square_count]
 * @property {number} [backtracks]
 * @property {string | null} [tour_count]
 * @property {number[][]} [solutions]
 * @property {number | null} [solution_count]
 * @property {number | null} [fundamental_count]
 */

/** @typedef {{answer: Answer, text: string, milliseconds: number | null}} Answered */

/** The answer of a server that answers, but not with what was asked for. */
export class Problem extends Error {
  /** @param {ProblemDetails} details */
  constructor(details) {
    super(details.title);
    this.details = details;
  }
}

/**
 * Asks the server. In the background it is a job, if it takes longer than a second; `told` hears how far it is.
 * Aborting ends the work as well, for the server sees the connection close or the job deleted.
 * @param {Request} request
 * @param {{signal: AbortSignal, background: boolean, told: (job: Job) => void}} how
 * @returns {Promise<Answered>}
 */
export async function ask(request, { signal, background, told }) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' };
  if (background) headers.prefer = 'respond-async, wait=1';
  if (request.body) headers['content-type'] = 'application/json';
  const url = request.body ? request.path : `${request.path}?${request.query}`;
  const response = await call(url, { method: request.body ? 'POST' : 'GET', body: request.body, headers, signal });
  const location = response.headers.get('location');
  if (response.status === 202 && location) return follow(location, signal, told);
  const text = await response.text();
  const timing = /solve;dur=([0-9.]+)/.exec(response.headers.get('server-timing') ?? '');
  return { answer: JSON.parse(text), text, milliseconds: timing ? Number(timing[1]) : null };
}

/**
 * The same request in another form.
 * @param {Request} request
 * @param {string} accept
 */
export async function askFor(request, accept) {
  const url = request.body ? request.path : `${request.path}?${request.query}`;
  /** @type {Record<string, string>} */
  const headers = request.body ? { accept, 'content-type': 'application/json' } : { accept };
  return (await call(url, { method: request.body ? 'POST' : 'GET', body: request.body, headers })).text();
}

/**
 * @param {string} url
 * @param {RequestInit} init
 */
async function call(url, init) {
  let response;
  try {
    response = await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Problem({ title: 'No connection', detail: 'The server did not answer. See whether it runs, then solve again.' });
  }
  if (response.ok) return response;
  const text = await response.text();
  let details;
  try {
    details = JSON.parse(text);
  } catch {
    details = { title: `HTTP ${response.status}`, detail: text.slice(0, 300) };
  }
  throw new Problem(details);
}

/**
 * Follows a job until it is done.
 * @param {string} location
 * @param {AbortSignal} signal
 * @param {(job: Job) => void} told
 * @returns {Promise<Answered>}
 */
async function follow(location, signal, told) {
  const forget = () => void fetch(location, { method: 'DELETE', keepalive: true }).catch(() => {});
  addEventListener('pagehide', forget);
  signal.addEventListener('abort', forget);
  try {
    signal.throwIfAborted();
    const job = (await events(location, signal, told)) ?? (await poll(location, signal, told));
    if (job.result) return { answer: job.result, text: JSON.stringify(job.result), milliseconds: null };
    throw new Problem(job.problem ?? { title: 'Cancelled', detail: 'The job was cancelled on the server.' });
  } finally {
    removeEventListener('pagehide', forget);
    signal.removeEventListener('abort', forget);
  }
}

/** @param {Job} job */
const isOver = job => !['queued', 'running'].includes(job.status);

/**
 * Listens to the job's events. Null when they break off, for then it can still be asked.
 * @param {string} location
 * @param {AbortSignal} signal
 * @param {(job: Job) => void} told
 * @returns {Promise<Job | null>}
 */
function events(location, signal, told) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(`${location}/events`);
    const end = () => source.close();
    signal.addEventListener('abort', () => {
      end();
      reject(signal.reason);
    });
    source.addEventListener('progress', event => told(JSON.parse(event.data)));
    source.addEventListener('done', event => {
      end();
      resolve(JSON.parse(event.data));
    });
    source.addEventListener('error', () => {
      end();
      resolve(null);
    });
  });
}

/**
 * Asks for the job once a second.
 * @param {string} location
 * @param {AbortSignal} signal
 * @param {(job: Job) => void} told
 * @returns {Promise<Job>}
 */
async function poll(location, signal, told) {
  for (;;) {
    /** @type {Job} */
    const job = await (await call(location, { signal })).json();
    if (isOver(job)) return job;
    told(job);
    await new Promise(resolve => setTimeout(resolve, 1000));
    signal.throwIfAborted();
  }
}
