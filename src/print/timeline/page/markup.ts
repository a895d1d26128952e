/** HTML that is safe to put into a page: all foreign text in it is escaped. */
export class Markup {
  readonly text: string;

  /** @param text is used without escapes: only {@link markup} and trusted text may call this */
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Markup | undefined | readonly Piece[];

/** Makes HTML of a template. The inserted texts are escaped, for content and quoted attributes. */
export function markup(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return new Markup(strings.reduce((text, string, index) => text + textOf(pieces[index - 1]) + string));
}

function textOf(piece: Piece): string {
  if (piece === undefined) return '';
  if (piece instanceof Markup) return piece.text;
  if (typeof piece === 'object') return piece.map(textOf).join('');
  return escaped(String(piece));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes the markup characters of HTML and XML. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Formats a value for `<script type="application/json">`, with nothing that could end the element. */
export function jsonMarkup(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}

// Terminal sequences: ESC [ … letter, and ESC ] … up to BEL or ESC \.
// oxlint-disable-next-line no-control-regex
const TERMINAL_SEQUENCE = /\u001b\[[\d;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Removes terminal sequences from output of programs. Lines and tabs stay. */
export function readable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(TERMINAL_SEQUENCE, '').replaceAll(CONTROL, '\uFFFD');
}
