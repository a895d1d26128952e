import { Chalk, supportsColor } from 'chalk';
import { preferences } from '../preferences.ts';
import { wantsColor } from './wants-color.ts';
import { PLAIN, type Painter, type Tone } from '../../print/painter.ts';

/** Colours that tell containers apart: not green and red, which say good and bad. */
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

/** Colours where they are wanted; plain text otherwise. */
export function painterFor(stream: NodeJS.WriteStream): Painter {
  if (!wantsColor({ flag: preferences().color, env: process.env, isTerminal: stream.isTTY })) return PLAIN;
  const chalk = new Chalk({ level: supportsColor === false ? 1 : supportsColor.level });
  return {
    tone: (tone, text) => chalk[TONES[tone]](text),
    series: (index, text) => chalk[SERIES[index % SERIES.length] ?? 'cyan'](text),
  };
}
