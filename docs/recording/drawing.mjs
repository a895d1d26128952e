// Frames of a terminal as an animated SVG: each row that was ever on the screen is drawn once and used by every frame
// that shows it. Whoever wants no motion sees the last frame.

const CELL = { width: 8.4, height: 19 };
const MARGIN = { x: 18, top: 42, bottom: 16 };
const COLORS = ['#5c6370', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#dcdfe4'];
const INK = '#dcdfe4';
const PAPER = '#1e2127';

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * @param frames `{ atMs, rows }`, a row being runs of `{ column, text, look }`; in the order of time
 * @param durationMs after which it begins anew
 */
export function drawing({ frames, durationMs, columns, rows, title }) {
  const width = Math.ceil(columns * CELL.width + 2 * MARGIN.x);
  const height = Math.ceil(rows * CELL.height + MARGIN.top + MARGIN.bottom);
  const ids = new Map();
  const idOf = (row) => {
    const text = JSON.stringify(row);
    if (!ids.has(text)) ids.set(text, `r${ids.size}`);
    return ids.get(text);
  };
  const percent = (ms) => `${Number(((100 * ms) / durationMs).toFixed(3))}%`;
  const styles = [];
  const groups = frames.map(({ atMs, rows: content }, index) => {
    const endMs = frames[index + 1]?.atMs ?? durationMs;
    const isLast = index === frames.length - 1;
    styles.push(
      `@keyframes k${index}{0%{visibility:${atMs === 0 ? 'visible' : 'hidden'}}` +
        `${percent(atMs)}{visibility:visible}${isLast ? '' : `${percent(endMs)}{visibility:hidden}`}}`,
      `#f${index}{animation-name:k${index}}`,
    );
    const uses = content.flatMap((row, y) =>
      row.length === 0 ? [] : [`<use href="#${idOf(row)}" y="${y * CELL.height}"/>`],
    );
    return `<g id="f${index}" class="${isLast ? 'f last' : 'f'}">${uses.join('')}</g>`;
  });
  const definitions = [...ids].map(([text, id]) => `<g id="${id}">${JSON.parse(text).map(drawnRun).join('')}</g>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img">
<title>${escaped(title)}</title>
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre;fill:${INK}}
.f{visibility:hidden;animation:${(durationMs / 1000).toFixed(2)}s step-end infinite}
@media (prefers-reduced-motion:reduce){.f{animation:none}.last{visibility:visible}}
${styles.join('\n')}
</style>
<rect width="100%" height="100%" rx="10" fill="${PAPER}"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/>
<circle cx="62" cy="20" r="6" fill="#28c840"/>
<defs>
${definitions.join('\n')}
</defs>
<g transform="translate(${MARGIN.x} ${MARGIN.top})">
${groups.join('\n')}
</g>
</svg>
`;
}

function drawnRun({ column, text, look = {} }) {
  const color = look.color === undefined ? undefined : (COLORS[look.color % 8] ?? INK);
  const kept = look.inverse ? text : text.trimEnd();
  const x = Number((column * CELL.width).toFixed(1));
  const length = Number((kept.length * CELL.width).toFixed(1));
  const attributes = [
    `x="${x}"`,
    `y="14"`,
    // The font of the reader may be wider or narrower.
    `textLength="${length}"`,
    ...(look.inverse ? [`fill="${PAPER}"`] : color === undefined ? [] : [`style="fill:${color}"`]),
    ...(look.bold ? ['font-weight="700"'] : []),
    ...(look.dim ? ['opacity=".6"'] : []),
  ];
  const box = look.inverse ? `<rect x="${x}" width="${length}" height="${CELL.height}" fill="${color ?? INK}"/>` : '';
  return `${box}<text ${attributes.join(' ')}>${escaped(kept)}</text>`;
}
