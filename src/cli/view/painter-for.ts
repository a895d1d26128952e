import { PLAIN, type Painter } from '../../print/painter.ts';
import { preferences } from '../preferences.ts';
import { isTerminal, permitColors, type StandardStream } from '../standard-streams.ts';
import { wantsColor } from './wants-color.ts';

/** Colours where they are wanted; plain text otherwise. What knows of terminals is loaded by who has one. */
export async function painterFor(stream: StandardStream): Promise<Painter> {
  if (!wantsColor({ flag: preferences().color, env: process.env, isTerminal: isTerminal(stream) })) return PLAIN;
  permitColors(stream);
  return (await import('./chalk-painter.ts')).chalkPainter();
}
