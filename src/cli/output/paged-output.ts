import { PodrunError } from '../../api/index.ts';
import { PrintFailure } from '../../print/index.ts';
import { runPager } from '../../runtime/index.ts';
import type { Cli } from '../base/cli.ts';
import { isOnPath } from '../base/process.ts';

/** The exit code of a shell that does not find the program. Then the text was not shown. */
const NOT_FOUND = 127;

/**
 * Prints a long text. On a terminal that is too small for the text, starts a pager: $PODRUN_PAGER, $PAGER, else `less`
 * if the machine has it, in the order of git. An empty variable or `cat` means no pager.
 */
export async function showPaged(cli: Cli, text: string): Promise<void> {
  const terminal = cli.flags.pager ? cli.stdout.terminal : undefined;
  const pager = terminal !== undefined && isLong(text, terminal) ? chosenPager(cli.env) : undefined;
  if (pager === undefined) return cli.stdout.write(text);
  // Ctrl-C ends a search in the pager. It must not end podrun.
  const ignore = (): void => undefined;
  cli.signals.on('SIGINT', ignore);
  try {
    // The defaults for less, as in git: print text that fits, keep colours, leave the text on the screen.
    const exitCode = await runPager(pager, cli.stdout.safeText(text), { LESS: 'FRX', LV: '-c', ...cli.env });
    if (exitCode === NOT_FOUND) cli.stdout.write(text);
  } finally {
    cli.signals.off('SIGINT', ignore);
  }
}

function chosenPager(env: Cli['env']): string | undefined {
  const { PODRUN_PAGER: own, PAGER: general, PATH: searched, TERM: terminal } = env;
  const said = own ?? general;
  if (said !== undefined) return said.trim() === '' || said.trim() === 'cat' ? undefined : said;
  return terminal !== 'dumb' && isOnPath('less', searched) ? 'less' : undefined;
}

/** True when the text and the next prompt take more rows than the terminal has. */
function isLong(text: string, { rows, columns }: NodeJS.WriteStream): boolean {
  // A terminal without a size reports 0.
  if (!(rows > 0) || !(columns > 0)) return false;
  let count = 0;
  for (const line of text.split('\n')) count += Math.max(1, Math.ceil(line.length / columns));
  return count > rows;
}

/**
 * Writes the answer of `print`. When `print` fails, also writes the output before the failure.
 * @throws {PodrunError} with the reason of the failure
 */
export function writePrinted(out: { write(text: string): void }, print: () => string): void {
  try {
    out.write(print());
  } catch (error) {
    if (!(error instanceof PrintFailure)) throw error;
    out.write(error.printed);
    throw new PodrunError('BadRequest', error.message);
  }
}
