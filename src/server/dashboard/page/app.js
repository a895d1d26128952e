// The page: follows Pods and events, and shows what the address asks for.

import { follow, listTable, listUrls, openSession } from './api.js';
import { element } from './elements.js';
import { KINDS, overview } from './overview.js';
import { podParts, podTools } from './pod.js';

const REFRESH_MS = 3000;
const SOON_MS = 200;
const KEPT_THEME = 'podrun-theme';

const pods = new Map();
const events = new Map();
/** By kind: what `podrun get` shows. */
let tables = new Map();
let urls = [];
/** The open Pod, with its tools. */
let openPod;

const main = document.querySelector('#main');
const filter = document.querySelector('#filter');
const connection = document.querySelector('#connection');
const help = document.querySelector('#help');

function draw() {
  const [, of] = /^#\/pods-of\/([^/]+)$/.exec(location.hash) ?? [];
  const [, namespace, name] = /^#\/pod\/([^/]+)\/([^/]+)$/.exec(location.hash) ?? [];
  const pod = [...pods.values()].find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (openPod !== undefined && openPod.uid !== pod?.metadata.uid) {
    openPod.end.abort();
    openPod = undefined;
    main.replaceChildren();
  }
  if (name === undefined)
    return keepFocus(() => main.replaceChildren(...overview({ tables, urls, of, filter: filter.value })));
  if (pod === undefined) return main.replaceChildren(element('p', {}, `There is no Pod ${namespace}/${name}.`));
  if (openPod === undefined) {
    const end = new AbortController();
    const tools = podTools(pod, end.signal);
    openPod = { uid: pod.metadata.uid, end, parts: element('div'), tools };
    main.replaceChildren(openPod.parts, ...tools.parts);
  }
  const row = tables.get('Pod')?.rows.find(({ object }) => object.metadata.uid === pod.metadata.uid);
  openPod.parts.replaceChildren(...podParts(pod, events, wordOf(row)));
  openPod.tools.refresh();
}

/** Redraws, and gives the focus back to the row that had it. */
function keepFocus(redraw) {
  const focused = document.activeElement?.id;
  redraw();
  if (focused?.startsWith('row-')) document.querySelector(`#${CSS.escape(focused)}`)?.focus();
}

let isDue = false;
function drawSoon() {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

/** The STATUS of the row of a Pod. */
function wordOf(row) {
  const index = tables.get('Pod')?.columns.findIndex(({ name }) => name === 'Status');
  return row?.cells[index] ?? '';
}

/** True while the tables are read; again: they have changed since. */
let reading = false;
let again = false;
let timer;

/** Reads what `podrun get` shows: after each change of a Pod, and every few seconds. */
async function refresh() {
  if (reading) {
    again = true;
    return;
  }
  reading = true;
  clearTimeout(timer);
  const read = Promise.all(KINDS.map(async ([kind, path]) => [kind, await listTable(path)]));
  const [made, served] = await Promise.all([read, listUrls()]).catch(() => []);
  if (made !== undefined) {
    tables = new Map(made);
    urls = served;
  }
  reading = false;
  drawSoon();
  timer = setTimeout(() => void refresh(), again ? SOON_MS : REFRESH_MS);
  again = false;
}

function changed(isConnected) {
  connection.textContent = isConnected ? 'live' : 'no connection';
  connection.className = isConnected ? 'good' : 'bad';
  drawSoon();
}

function toggleTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme
    ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem(KEPT_THEME, root.dataset.theme);
}

function moveBy(step) {
  const rows = [...main.querySelectorAll('tbody a')];
  const next = rows.indexOf(document.activeElement) + step;
  rows.at(next < 0 ? 0 : Math.min(next, rows.length - 1))?.focus();
}

const KEYS = {
  j: () => moveBy(1),
  k: () => moveBy(-1),
  t: toggleTheme,
  '/': () => filter.focus(),
  '?': () => help.showModal(),
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (event.key === 'Escape') {
    document.activeElement?.blur();
    location.hash = '#/';
  }
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) return;
  const run = KEYS[event.key];
  if (run === undefined) return;
  event.preventDefault();
  run();
});

document.querySelector('#theme').addEventListener('click', toggleTheme);
document.querySelector('#keys').addEventListener('click', () => help.showModal());
filter.addEventListener('input', draw);
addEventListener('hashchange', draw);

const theme = localStorage.getItem(KEPT_THEME);
if (theme !== null) document.documentElement.dataset.theme = theme;

if (await openSession()) {
  void follow('api/v1/pods', pods, (isConnected) => {
    changed(isConnected);
    if (isConnected) void refresh();
  });
  void follow('api/v1/events', events, changed);
} else {
  main.replaceChildren(element('p', {}, 'This link was used before, or is not complete. Run podrun dashboard again.'));
  connection.textContent = 'not signed in';
}
