/** What no terminal is harmed by: most lines. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Colours and styles: the only escape sequences that stay in their line. */
const STYLE = new RegExp(String.raw`^\u001B\[[\d;:]*m$`);

/** Escape sequences: commands with parameters, strings up to their end, and the short ones. C1 controls included. */
const SEQUENCE = new RegExp(
  [
    String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?`,
    String.raw`(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?`,
    String.raw`\u001B[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/** Everything that is no text: what is left of C0 without the tab, DEL, C1. */
const CONTROLS = new RegExp(String.raw`[\u0000-\u0008\u000A-\u001F\u007F-\u009F]`, 'g');

const RESET = '\u001B[0m';

/**
 * A line that a program has written, as it may stand among other lines on a terminal: in its colours, and without what
 * would move the cursor, clear the screen or change the terminal. Of what was written over itself (`10%\r20%`) the last
 * state is left.
 */
export function terminalLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  let isStyled = false;
  const styled = text.replaceAll(SEQUENCE, (sequence) => {
    if (!STYLE.test(sequence)) return '';
    isStyled = true;
    return sequence;
  });
  // What remains of ESC belongs to styles.
  const last = styled.split('\r').findLast((part) => part.replaceAll(SEQUENCE, '').trim() !== '') ?? '';
  const clean = last.replaceAll(CONTROLS, (control) => (control === '\u001B' ? control : ''));
  return isStyled ? `${clean}${RESET}` : clean;
}

/** Text that others wrote, without anything that a terminal would obey. */
export function withoutControls(text: string): string {
  return PRINTABLE_ASCII.test(text) ? text : text.replaceAll(SEQUENCE, '').replaceAll(CONTROLS, ' ');
}
