import { isOnPath } from '../run/program-on-path.ts';
import { runPager } from '../runtime/pager.ts';
import { preferences } from './preferences.ts';
import { StandardOutput } from './standard-output.ts';
import { isTerminal, safeText, streamOf } from './standard-streams.ts';

/** No such program: the shell says so, and the text has not been seen. */
const NOT_FOUND = 127;

/**
 * Shows a long text: page by page on a terminal that it does not fit on, as it is anywhere else. The pager is chosen as
 * git chooses it: $PODRUN_PAGER, $PAGER, else less where there is one; an empty one and `cat` mean none.
 */
export async function showPaged(text: string): Promise<void> {
  const pager = isTerminal('stdout') && preferences().pages && isLong(text) ? chosenPager() : undefined;
  if (pager === undefined) return new StandardOutput().write(text);
  // Ctrl-C is the pager's: it ends a search there, and not podrun.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    // What less is to do unless somebody has said it: no pager for what fits, colours as they are, the text stays.
    const exitCode = await runPager(pager, safeText('stdout', text), { LESS: 'FRX', LV: '-c', ...process.env });
    if (exitCode === NOT_FOUND) new StandardOutput().write(text);
  } finally {
    process.off('SIGINT', ignore);
  }
}

function chosenPager(): string | undefined {
  const { PODRUN_PAGER: own, PAGER: general, PATH: searched, TERM: terminal } = process.env;
  const said = own ?? general;
  if (said !== undefined) return said.trim() === '' || said.trim() === 'cat' ? undefined : said;
  return terminal !== 'dumb' && isOnPath('less', searched) ? 'less' : undefined;
}

/** Does it take more rows than the terminal has, but for that of the next prompt? */
function isLong(text: string): boolean {
  const { rows, columns } = streamOf('stdout');
  // A terminal that nobody has given a size has none.
  if (!(rows > 0) || !(columns > 0)) return false;
  let count = 0;
  for (const line of text.split('\n')) count += Math.max(1, Math.ceil(line.length / columns));
  return count > rows;
}
