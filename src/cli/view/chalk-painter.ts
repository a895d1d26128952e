import { Chalk, supportsColor } from 'chalk';
import type { Painter, Tone } from '../../print/index.ts';

/** Colours for containers, without green and red, which mean good and bad. */
const SERIES = [
  'cyan',
  'magenta',
  'yellow',
  'blue',
  'cyanBright',
  'magentaBright',
  'yellowBright',
  'blueBright',
] as const;

const TONES = { good: 'green', bad: 'red', info: 'reset', muted: 'gray' } as const satisfies Record<Tone, string>;

/** Makes a painter with as many colours as the terminal has. */
export function chalkPainter(): Painter {
  const chalk = new Chalk({ level: supportsColor === false ? 1 : supportsColor.level });
  return {
    tone: (tone, text) => chalk[TONES[tone]](text),
    series: (index, text) => chalk[SERIES[index % SERIES.length] ?? 'cyan'](text),
  };
}
