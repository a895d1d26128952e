/** Texts that are harmless for a terminal: most lines. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** Colours and styles: the only escape sequences that a line keeps. */
const STYLE = new RegExp(String.raw`^\u001B\[[\d;:]*m$`);

/** Escape sequences: commands with parameters, strings up to their end, and short ones, C1 controls included. */
const SEQUENCE = new RegExp(
  String.raw`(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]?|` +
    String.raw`(?:\u001B[\]PX^_]|[\u0090\u0098\u009D-\u009F])[^\u0007\u001B\u009C]*(?:\u0007|\u001B\\|\u009C)?|` +
    String.raw`\u001B[ -/]*[0-~]?`,
  'g',
);

/** The characters DEL and C1, and the bidi controls of Unicode, which change the order of the shown characters. */
const BEYOND_C0 = String.raw`\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069`;

/** All controls except the tab: C0, and those beyond. */
const CONTROLS = new RegExp(String.raw`[\u0000-\u0008\u000A-\u001F${BEYOND_C0}]`, 'g');

/** The same without line breaks, form feeds and vertical tabs, which have a meaning in tables. */
const ESCAPED = new RegExp(String.raw`[\u0000-\u0008\u000D-\u001F${BEYOND_C0}]`, 'g');

/** The colours that podrun itself writes: see cli/view/chalk-painter.ts. */
const OWN_STYLE = String.raw`\u001B\[(?:0|3[1-6]|39|9[0-6])m`;

const UNSAFE = new RegExp(String.raw`[\u0000-\u0008\u000B-\u001F${BEYOND_C0}]`);
const UNSAFE_OR_STYLE = new RegExp(`${OWN_STYLE}|${UNSAFE.source}`, 'g');

const RESET = '\u001B[0m';

/**
 * Makes a line of a program fit to stand between other lines on a terminal: keeps its colours, and removes all
 * sequences that move the cursor, clear the screen or change the terminal. Of a line that overwrites itself
 * (`10%\r20%`), keeps the last state.
 */
export function terminalLine(text: string): string {
  if (PRINTABLE_ASCII.test(text)) return text;
  let isStyled = false;
  const styled = text.replaceAll(SEQUENCE, (sequence) => {
    if (!STYLE.test(sequence)) return '';
    isStyled = true;
    return sequence;
  });
  // Any remaining ESC begins a style.
  const last = styled.split('\r').findLast((part) => part.replaceAll(SEQUENCE, '').trim() !== '') ?? '';
  const clean = last.replaceAll(CONTROLS, (control) => (control === '\u001B' ? control : ''));
  return isStyled ? `${clean}${RESET}` : clean;
}

/** Removes everything that a terminal would obey. */
export function withoutControls(text: string): string {
  return PRINTABLE_ASCII.test(text) ? text : text.replaceAll(SEQUENCE, '').replaceAll(CONTROLS, ' ');
}

/**
 * Makes control characters visible in text for the standard streams of podrun. Line breaks and tabs stay. ESC becomes
 * `^[` and CR `\r`, as in kubectl (cli-runtime, printers/terminal.go); other C0 controls `^G`; DEL, C1 and bidi
 * controls `\u009b`, which in JSON means the same character.
 * @param keepsColors true to keep the colours of podrun
 */
export function visibleControls(text: string, { keepsColors }: { readonly keepsColors: boolean }): string {
  if (!UNSAFE.test(text)) return text;
  return text.replaceAll(UNSAFE_OR_STYLE, (match) => {
    if (match.length === 1) return visible(match);
    return keepsColors ? match : visible('\u001B') + match.slice(1);
  });
}

/** Makes control characters visible in the cells of tables, before alignment. */
export function escapeTerminal(text: string): string {
  return PRINTABLE_ASCII.test(text) ? text : text.replaceAll(ESCAPED, visible);
}

function visible(control: string): string {
  if (control === '\r') return String.raw`\r`;
  const code = control.charCodeAt(0);
  return code < 0x20 ? `^${String.fromCharCode(code + 0x40)}` : String.raw`\u${code.toString(16).padStart(4, '0')}`;
}
