// oxlint-disable import/default, import/no-named-as-default -- these are imported as text
import api from './page/api.js?raw';
import app from './page/app.js?raw';
import elements from './page/elements.js?raw';
import index from './page/index.html?raw';
import overview from './page/overview.js?raw';
import style from './page/page.css?raw';
import pod from './page/pod.js?raw';
import terminal from './page/terminal.js?raw';

const HTML = 'text/html; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The files of the page, by path. */
export const DASHBOARD_FILES: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map([
  ['/', { type: HTML, text: index }],
  ['/page.css', { type: 'text/css; charset=utf-8', text: style }],
  ['/api.js', { type: SCRIPT, text: api }],
  ['/app.js', { type: SCRIPT, text: app }],
  ['/elements.js', { type: SCRIPT, text: elements }],
  ['/overview.js', { type: SCRIPT, text: overview }],
  ['/pod.js', { type: SCRIPT, text: pod }],
  ['/terminal.js', { type: SCRIPT, text: terminal }],
]);
