// The script of the page: a closer look, details of what is pointed at, colours. Without it the page shows the same.
const byId = (id) => document.getElementById(id);
const [chart, axis, plot, grid, tip] = ['chart', 'axis', 'plot', 'grid', 'tip'].map(byId);
const canvas = chart.querySelector('.canvas');
const data = JSON.parse(byId('data').textContent);
const lengthMs = Number(plot.dataset.length);
const entries = [...plot.querySelectorAll('.entry')];
const texts = [...plot.querySelectorAll('.entry text')];

// Ticks at round moments, some 110 pixels apart.
const SECOND = 1000;
const STEPS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * 60 * SECOND),
  ...[1, 2, 3, 6, 12, 24, 48, 96].map((n) => n * 3600 * SECOND),
];
const label = (ms, step) => {
  if (step < SECOND) return `${(ms / SECOND).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1)}s`;
  const seconds = Math.round(ms / SECOND);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ].filter(([n]) => n > 0);
  return parts.map(([n, unit]) => n + unit).join('') || '0s';
};
const make = (name, attributes, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
};
const drawTicks = () => {
  const width = plot.clientWidth || plot.getBoundingClientRect().width;
  const wanted = lengthMs / Math.max(1, width / 110);
  const step = STEPS.find((one) => one >= wanted) || STEPS[STEPS.length - 1];
  const [marks, lines] = [[], []];
  for (let ms = 0; ms < lengthMs; ms += step) {
    const x = `${(ms / lengthMs) * 100}%`;
    marks.push(make('line', { x1: x, x2: x, y1: 22, y2: 30 }));
    marks.push(
      make('text', { x, y: 17, dx: ms === 0 ? 4 : 0, 'text-anchor': ms === 0 ? 'start' : 'middle' }, label(ms, step)),
    );
    lines.push(make('line', { x1: x, x2: x, y1: 0, y2: '100%' }));
  }
  axis.replaceChildren(...marks);
  grid.replaceChildren(...lines);
  // A text that has no room in its bar says nothing.
  const barOf = (text) => text.closest('.entry').querySelector('.bar').getBoundingClientRect();
  const roomOf = (text) => barOf(text).width - text.getComputedTextLength();
  const rooms = texts.map(roomOf);
  for (const [index, text] of texts.entries()) text.style.visibility = rooms[index] > 10 ? '' : 'hidden';
};

// Zoom: what is at `clientX` stays there.
let zoom = 1;
const labelsWidth = () => chart.querySelector('.labels').offsetWidth;
const setZoom = (next, clientX) => {
  const left = chart.getBoundingClientRect().left + labelsWidth();
  const at = (clientX === undefined ? left + (chart.clientWidth - labelsWidth()) / 2 : clientX) - left;
  const share = (chart.scrollLeft + at) / plot.clientWidth;
  zoom = Math.min(400, Math.max(1, next));
  canvas.style.setProperty('--zoom', zoom);
  chart.scrollLeft = share * plot.clientWidth - at;
  drawTicks();
};
byId('zoom-in').addEventListener('click', () => setZoom(zoom * 1.6));
byId('zoom-out').addEventListener('click', () => setZoom(zoom / 1.6));
byId('zoom-fit').addEventListener('click', () => setZoom(1));
chart.addEventListener(
  'wheel',
  (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    setZoom(zoom * Math.exp(-event.deltaY / 240), event.clientX);
  },
  { passive: false },
);
addEventListener('resize', drawTicks);

// Drag to move.
let drag;
chart.addEventListener('pointerdown', (event) => {
  if (event.button !== 0 || event.pointerType !== 'mouse') return;
  drag = { x: event.clientX, y: event.clientY, left: chart.scrollLeft, top: chart.scrollTop };
});
addEventListener('pointermove', (event) => {
  if (drag === undefined) return;
  if (Math.abs(event.clientX - drag.x) + Math.abs(event.clientY - drag.y) > 4) chart.classList.add('dragging');
  chart.scrollLeft = drag.left + drag.x - event.clientX;
  chart.scrollTop = drag.top + drag.y - event.clientY;
});
addEventListener('pointerup', () => {
  drag = undefined;
  chart.classList.remove('dragging');
});

// Details of what is pointed at, or has the focus.
const seconds = (ms) => `${(ms / SECOND).toFixed(3)}s`;
const part = (name, text, className) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.textContent = text;
  return element;
};
const show = (entry, x, y) => {
  const { where, title, fromMs, toMs, details } = data[Number(entry.dataset.i)];
  const range = `${seconds(fromMs)} – ${seconds(toMs)}, took ${seconds(toMs - fromMs)}`;
  const when = toMs > fromMs ? range : `at ${seconds(fromMs)}`;
  const list = document.createElement('dl');
  for (const [name, value] of details) list.append(part('dt', name), part('dd', value));
  tip.replaceChildren(part('div', where, 'where'), part('b', title), part('div', when, 'when'), list);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + height + 24 > innerHeight ? Math.max(8, y - height - 14) : y + 16}px`;
};
const hide = () => {
  tip.hidden = true;
};
plot.addEventListener('pointermove', (event) => {
  const entry = event.target.closest('.entry');
  if (entry === null || chart.classList.contains('dragging')) hide();
  else show(entry, event.clientX, event.clientY);
});
plot.addEventListener('pointerleave', hide);
plot.addEventListener('focusout', hide);
plot.addEventListener('focusin', (event) => {
  const entry = event.target.closest('.entry');
  if (entry === null) return;
  for (const one of entries) one.setAttribute('tabindex', one === entry ? '0' : '-1');
  entry.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  reveal(entry);
  const { left, bottom } = entry.getBoundingClientRect();
  if (entry.matches(':focus-visible'))
    show(entry, Math.max(left, chart.getBoundingClientRect().left + labelsWidth()), bottom);
});

// The labels cover the left of what is scrolled.
const reveal = (entry) => {
  const [box, view] = [entry.getBoundingClientRect(), chart.getBoundingClientRect()];
  const left = view.left + labelsWidth();
  if (box.right < left + 12) chart.scrollLeft += box.left - left - 40;
  else if (box.left > view.right - 12) chart.scrollLeft += box.left - view.right + 80;
  if (box.top < view.top + 34) chart.scrollTop += box.top - view.top - 60;
  else if (box.bottom > view.bottom) chart.scrollTop += box.bottom - view.bottom + 30;
};

// Arrow keys: along a row, and to the row above or below.
const lists = [...plot.querySelectorAll('[role="list"]')].map((list) => [...list.querySelectorAll('.entry')]);
const rows = lists.filter((row) => row.length > 0);
const nearest = (row, ms) =>
  row.reduce((best, one) => {
    const far = (entry) => Math.abs(data[Number(entry.dataset.i)].fromMs - ms);
    return far(one) < far(best) ? one : best;
  });
const step = (entry, key) => {
  const y = rows.findIndex((row) => row.includes(entry));
  const row = rows[y];
  const x = row.indexOf(entry);
  const { fromMs } = data[Number(entry.dataset.i)];
  const to = {
    ArrowRight: () => row[x + 1],
    ArrowLeft: () => row[x - 1],
    ArrowDown: () => rows[y + 1] && nearest(rows[y + 1], fromMs),
    ArrowUp: () => rows[y - 1] && nearest(rows[y - 1], fromMs),
    Home: () => row[0],
    End: () => row[row.length - 1],
  }[key];
  return to && to();
};
chart.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const focused = event.target.closest('.entry');
  const at = focused === null ? undefined : focused.getBoundingClientRect().left;
  if (event.key === '+' || event.key === '=') setZoom(zoom * 1.6, at);
  else if (event.key === '-') setZoom(zoom / 1.6, at);
  else if (event.key === '0') setZoom(1);
  else if (event.key === 'Escape') hide();
  else {
    const next = focused && step(focused, event.key);
    if (!next) return;
    next.focus({ preventScroll: true });
  }
  event.preventDefault();
});
addEventListener('keydown', (event) => event.key === 'Escape' && hide());

// Colours: as the system has them, light, dark.
const THEMES = [
  ['', 'Auto', 'as the system has them'],
  ['light', 'Light', 'light'],
  ['dark', 'Dark', 'dark'],
];
const theme = byId('theme');
let chosen = 0;
theme.addEventListener('click', () => {
  chosen = (chosen + 1) % THEMES.length;
  const [value, text, spoken] = THEMES[chosen];
  if (value === '') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  theme.textContent = text;
  theme.setAttribute('aria-label', `Colours: ${spoken}`);
});

// A link to a Pod opens its section.
const openTarget = () => {
  const target = location.hash.length > 1 ? byId(location.hash.slice(1)) : null;
  const details = target && target.querySelector('details');
  if (details) details.open = true;
};
addEventListener('hashchange', openTarget);
openTarget();
drawTicks();
