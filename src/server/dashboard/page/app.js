// The page: follows Pods and events, and shows what the address asks for.

import { follow, list, openSession } from './api.js';
import { element } from './elements.js';
import { overview, WORKLOADS } from './overview.js';
import { podParts, podTools } from './pod.js';

const REFRESH_MS = 3000;
const KEPT_THEME = 'podrun-theme';

const pods = new Map();
const events = new Map();
let workloads = [];
/** The open Pod, with its tools. */
let openPod;

const main = document.querySelector('#main');
const filter = document.querySelector('#filter');
const connection = document.querySelector('#connection');
const help = document.querySelector('#help');

function draw() {
  const [, namespace, name] = /^#\/pod\/([^/]+)\/([^/]+)$/.exec(location.hash) ?? [];
  const pod = [...pods.values()].find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  if (openPod !== undefined && openPod.uid !== pod?.metadata.uid) {
    openPod.end.abort();
    openPod = undefined;
    main.replaceChildren();
  }
  if (name === undefined)
    return keepFocus(() => main.replaceChildren(...overview({ pods, workloads, filter: filter.value })));
  if (pod === undefined) return main.replaceChildren(element('p', {}, `There is no Pod ${namespace}/${name}.`));
  if (openPod === undefined) {
    const end = new AbortController();
    openPod = { uid: pod.metadata.uid, end, parts: element('div') };
    main.replaceChildren(openPod.parts, ...podTools(pod, end.signal));
  }
  openPod.parts.replaceChildren(...podParts(pod, events));
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

async function refreshWorkloads() {
  const lists = await Promise.all(
    WORKLOADS.map(async ([kind, path]) => (await list(path)).items.map((object) => ({ kind, object }))),
  ).catch(() => undefined);
  if (lists !== undefined) workloads = lists.flat();
  drawSoon();
  setTimeout(() => void refreshWorkloads(), REFRESH_MS);
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
  void follow('api/v1/pods', pods, changed);
  void follow('api/v1/events', events, changed);
  void refreshWorkloads();
} else {
  main.replaceChildren(element('p', {}, 'This link was used before, or is not complete. Run podrun dashboard again.'));
  connection.textContent = 'not signed in';
}
