/** The tone of a text. */
export type Tone = 'good' | 'bad' | 'info' | 'muted';

/** Colours of a terminal, or none. The methods return the text with or without decoration. */
export interface Painter {
  tone(tone: Tone, text: string): string;
  /** Paints text that belongs to one container: equal numbers, from 0, get equal colours. */
  series(index: number, text: string): string;
}

/** A painter without colours. */
export const PLAIN: Painter = {
  tone: (_tone, text) => text,
  series: (_index, text) => text,
};
