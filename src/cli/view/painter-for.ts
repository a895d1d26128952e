import { type Painter, PLAIN } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';
import type { GlobalFlags } from '../base/global-flags.ts';

/** Makes a painter with colours, or one for plain text. Loads chalk only for colours. */
export async function painterFor(cli: Cli, stream: 'stdout' | 'stderr'): Promise<Painter> {
  const { flags, env, [stream]: output } = cli;
  if (!wantsColor({ flag: flags.color, env, isTerminal: output.isTerminal })) return PLAIN;
  output.permitColors();
  return (await import('./chalk-painter.ts')).chalkPainter();
}

/** The settings that decide about colours. */
interface ColorSettings {
  /** The value of `--color`. */
  readonly flag: GlobalFlags['color'];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/**
 * True when output has colours. The first setting decides: --color, NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, CI,
 * TERM=dumb, then whether the output is a terminal. An empty variable is no setting.
 * @see https://no-color.org
 * @see https://force-color.org
 * @see https://bixense.com/clicolors
 */
function wantsColor({ flag, env, isTerminal }: ColorSettings): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env['NO_COLOR']) return false;
  // Programs of Node read these two values as no.
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  if (env['CLICOLOR_FORCE'] && env['CLICOLOR_FORCE'] !== '0') return true;
  return isTerminal && !env['CI'] && env['TERM'] !== 'dumb';
}
