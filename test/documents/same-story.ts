/**
 * Compares the output of a program with a page. The words must be equal, line by line and in order; numbers, durations,
 * times, columns and drawings may differ. A line `…` stands for any number of lines, a `…` in a line for any text. The
 * program may print more than the page shows.
 * @returns the first line of the page that is missing; undefined when none is
 */
export function missingLine(shown: readonly string[], printed: string): string | undefined {
  const actual = printed.split('\n').map(skeleton);
  let from = 0;
  for (const line of shown) {
    const wanted = skeleton(line);
    if (wanted === '' || wanted === '…' || isDrawn(line)) continue;
    const pattern = new RegExp(`^${wanted.split('…').map(escaped).join('.*')}$`);
    const at = actual.findIndex((one, index) => index >= from && pattern.test(one));
    if (at < 0) return line;
    from = at + 1;
  }
  return undefined;
}

/** True for a drawn line: drawings differ from run to run. */
function isDrawn(line: string): boolean {
  return /[█▒░▚┄━■]|\+-{5}/.test(line);
}

function skeleton(line: string): string {
  return line
    .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UID')
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z\b/g, 'TIME')
    .replaceAll(/\b(\d+(\.\d+)?(ms|d|h|m|s))+\b/g, '#')
    .replaceAll(/\d+(\.\d+)*/g, '#')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
