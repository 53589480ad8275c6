// What a person leaves with: the request as a link, a curl line or code, the answer as JSON or text, the board as a
// picture.

import { askFor, Problem } from './api.js';

/** @typedef {import('./state.js').Request} Request */
/** @typedef {'link' | 'curl' | 'fetch' | 'json' | 'text'} Form */

/** How long a preview is, in characters; what is copied is whole. */
const PREVIEW = 1500;

/** What stands for an answer while there is none. */
const UNSOLVED = 'There is no answer yet: solve first.';

/**
 * The text in this form.
 * @param {Form} form
 * @param {Request} request
 * @param {string | null} answer the answer's JSON
 * @returns {Promise<string>}
 */
export async function written(form, request, answer) {
  const url = `${location.origin}${request.path}`;
  const { query, body } = request;
  switch (form) {
    case 'link':
      return location.href;
    case 'curl':
      return body ? `curl ${url} --json '${body}'` : `curl '${url}?${query}'`;
    case 'fetch':
      return `const response = await fetch('${body ? `${url}', ${posted(body)}` : `${url}?${query}'`});
const answer = await response.json();`;
    case 'json':
      return answer ?? UNSOLVED;
    case 'text':
      if (!answer) return UNSOLVED;
      try {
        return await askFor(request, 'text/plain');
      } catch (error) {
        if (error instanceof Problem) {
          const { detail, errors = [] } = error.details;
          return [detail, ...errors.map(error => `${error.field} ${error.detail}`)].join('\n');
        }
        throw error;
      }
  }
}

/**
 * What makes a call a POST of this JSON.
 * @param {string} body
 */
const posted = body => `{
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${body}),
}`;

/**
 * As much of a text as is shown.
 * @param {string} text
 */
export const preview = text => (text.length > PREVIEW ? `${text.slice(0, PREVIEW)}…` : text);

/**
 * Puts a text on the clipboard.
 * @param {string} text
 */
export async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Pages of other machines without TLS have no clipboard but this.
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'unseen';
  document.body.append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (!copied) throw new Error('The browser does not let the page copy.');
}

/**
 * Hands a file to the browser.
 * @param {string} name
 * @param {Blob} blob
 */
export function save(name, blob) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * A picture as PNG.
 * @param {string} svg
 * @param {number} width
 * @param {number} height
 * @returns {Promise<Blob>}
 */
export async function png(svg, width, height) {
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    context.fillStyle = '#fff';
    context.fillRect(0, 0, width, height);
    context.drawImage(image, 0, 0, width, height);
    return await blobOf(canvas);
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>}
 */
export function blobOf(canvas) {
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The browser made no picture.'))), 'image/png'));
}
