/** How a line should strike the reader. */
export type Tone = 'good' | 'bad' | 'info' | 'muted';

/** Colours, handed in by whoever knows whether there is a terminal. Methods return the text, possibly decorated. */
export interface Painter {
  tone(tone: Tone, text: string): string;
  /** Text that belongs to one container: the same number, the same colour. Any number from 0. */
  series(index: number, text: string): string;
}

/** No colours at all. */
export const PLAIN: Painter = {
  tone: (_tone, text) => text,
  series: (_index, text) => text,
};
