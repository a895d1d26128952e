/** HTML that may stand in a page as it is: every text in it that others wrote has been escaped. */
export class Markup {
  readonly text: string;

  /** @param text is taken as it is: only {@link markup} and trusted, own text belong here */
  constructor(text: string) {
    this.text = text;
  }
}

type Piece = string | number | Markup | undefined | readonly Piece[];

/** HTML with texts put into it. They are escaped: nothing of them is markup, in content and in quoted attributes. */
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

/** What HTML and XML take for markup, replaced by what they show for it. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** A value for a `<script type="application/json">`: nothing in it can end that element. */
export function jsonMarkup(value: unknown): Markup {
  return new Markup(JSON.stringify(value).replaceAll('<', '\\u003c'));
}

// Colours and the like: ESC [ … letter, and ESC ] … up to BEL or ESC \.
// oxlint-disable-next-line no-control-regex
const TERMINAL_SEQUENCE = /\u001b\[[\d;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** What programs wrote, without what was meant for a terminal. Lines and tabs stay. */
export function readable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(TERMINAL_SEQUENCE, '').replaceAll(CONTROL, '\uFFFD');
}
