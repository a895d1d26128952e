// Elements of the page. Texts of the cluster become text nodes only: nothing of them is ever markup.

/** @param {Record<string, unknown>} properties properties of the element; `class`, `for` and functions `on…` too */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'class') made.className = value;
    else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else made[key] = value;
  }
  made.append(...children.map((child) => child ?? ''));
  return made;
}

/** A table: the names of the columns, and rows of cells. */
export function table(label, columns, rows) {
  if (rows.length === 0) return element('p', { class: 'muted' }, `No ${label}.`);
  const head = element('tr', {}, ...columns.map((column) => element('th', { scope: 'col' }, column)));
  const body = rows.map((cells) => element('tr', {}, ...cells.map((cell) => element('td', {}, cell))));
  const made = element('table', {}, element('thead', {}, head), element('tbody', {}, ...body));
  made.setAttribute('aria-label', label);
  return element('div', { class: 'table' }, made);
}

/** A word of a state in its colour. */
export function state(word, isGood, isBad) {
  return element('span', { class: isGood ? 'good' : isBad ? 'bad' : '' }, word);
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** The time since a moment: `3m`. */
export function age(time) {
  const seconds = Math.max(0, (Date.now() - Date.parse(time)) / 1000);
  const [unit, size] = UNITS.find(([, each]) => seconds >= each) ?? ['s', 1];
  return `${Math.floor(seconds / size)}${unit}`;
}
