import { isOnPath } from './program-on-path.ts';
import { runPager } from '../runtime/helpers/pager.ts';
import { preferences } from './preferences.ts';
import { StandardOutput } from './standard-output.ts';
import { isTerminal, safeText, streamOf } from './standard-streams.ts';

/** The exit code of a shell that does not find the program. Then the text was not shown. */
const NOT_FOUND = 127;

/**
 * Prints a long text. On a terminal that is too small for the text, starts a pager: $PODRUN_PAGER, $PAGER, else `less`
 * if the machine has it, in the order of git. An empty variable or `cat` means no pager.
 */
export async function showPaged(text: string): Promise<void> {
  const pager = isTerminal('stdout') && preferences().pages && isLong(text) ? chosenPager() : undefined;
  if (pager === undefined) return new StandardOutput().write(text);
  // Ctrl-C ends a search in the pager. It must not end podrun.
  const ignore = (): void => undefined;
  process.on('SIGINT', ignore);
  try {
    // The defaults for less, as in git: print text that fits, keep colours, leave the text on the screen.
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

/** True when the text and the next prompt take more rows than the terminal has. */
function isLong(text: string): boolean {
  const { rows, columns } = streamOf('stdout');
  // A terminal without a size reports 0.
  if (!(rows > 0) || !(columns > 0)) return false;
  let count = 0;
  for (const line of text.split('\n')) count += Math.max(1, Math.ceil(line.length / columns));
  return count > rows;
}
