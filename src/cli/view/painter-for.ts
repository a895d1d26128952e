import { type Painter, PLAIN } from '../../print/text/painter.ts';
import { preferences, type Preferences } from '../preferences.ts';
import { isTerminal, permitColors, type StandardStream } from '../standard-streams.ts';

/** Makes a painter with colours, or one for plain text. Loads chalk only for colours. */
export async function painterFor(stream: StandardStream): Promise<Painter> {
  if (!wantsColor({ flag: preferences().color, env: process.env, isTerminal: isTerminal(stream) })) return PLAIN;
  permitColors(stream);
  return (await import('./chalk-painter.ts')).chalkPainter();
}

/** The settings that decide about colours. */
export interface ColorSettings {
  /** The value of `--color`. */
  readonly flag: Preferences['color'];
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
export function wantsColor({ flag, env, isTerminal }: ColorSettings): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env['NO_COLOR']) return false;
  // Programs of Node read these two values as no.
  if (env['FORCE_COLOR']) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  if (env['CLICOLOR_FORCE'] && env['CLICOLOR_FORCE'] !== '0') return true;
  return isTerminal && !env['CI'] && env['TERM'] !== 'dumb';
}
