/**
 * Strings in YAML as go-yaml and so kubectl write them: plain if a parser would read the same string, else quoted;
 * several lines as a literal block.
 * Source: goyaml.v2 of sigs.k8s.io/yaml, encode.go, resolve.go, emitterc.go.
 */

/** The column beyond which plain and quoted texts are folded at the next blank. */
const BEST_WIDTH = 80;

export interface ScalarPosition {
  /** The column in which the text begins. */
  readonly column: number;
  /** The indent of further lines. */
  readonly indent: number;
  /** True for a key of a mapping, which must stay on one line. */
  readonly isKey?: boolean;
}

/** Formats a string as YAML. Further lines have their indent. There is no newline at the end. */
export function yamlString(text: string, position: ScalarPosition): string {
  const traits = traitsOf(text);
  const { isKey = false } = position;
  if (text.includes('\n') && !isKey && traits.canBlock) return literal(text, position.indent);
  if (text.includes('\n') || looksLikeOther(text)) return doubleQuoted(text, position);
  if (traits.canPlain && !(isKey && text === '')) return fold(text, position);
  return traits.canSingleQuote ? singleQuoted(text, position) : doubleQuoted(text, position);
}

/** Words that YAML 1.1 reads as null, a boolean or a number. The empty text is null, too. */
const WORDS: ReadonlySet<string> = new Set(
  [
    '~ null Null NULL .nan .NaN .NAN',
    'y Y yes Yes YES true True TRUE on On ON',
    'n N no No NO false False FALSE off Off OFF',
    '.inf .Inf .INF +.inf +.Inf +.INF -.inf -.Inf -.INF',
  ]
    .flatMap((words) => words.split(' '))
    .concat(''),
);
const INTEGER = /^[-+]?(0x[0-9a-f]+|0b[01]+|0o[0-7]+|0[0-7]*|[1-9][0-9]*)$/i;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** Base 60 numbers of YAML 1.1, and dates with or without a time. */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}$/;
const TIME =
  /^\d{4}-\d{1,2}-\d{1,2}([Tt]\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?(Z|[+-]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?)$/;

/** True when a parser would not read the bare text as a string. */
function looksLikeOther(text: string): boolean {
  if (WORDS.has(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  const bare = text.startsWith('.') ? text : text.replaceAll('_', '');
  if (INTEGER.test(bare) || FLOAT.test(bare)) return true;
  return SEXAGESIMAL.test(text) || DATE.test(text) || TIME.test(text);
}

interface Traits {
  readonly canPlain: boolean;
  readonly canSingleQuote: boolean;
  readonly canBlock: boolean;
}

/**
 * Characters that libyaml escapes: control characters, the tab, and all beyond the first plane. podrun also escapes
 * bidi controls, which a terminal would obey.
 */
const SPECIAL = new RegExp(
  String.raw`[^\n\u0020-\u007E\u00A0-\u2027\u202A-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]|` +
    String.raw`[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]`,
);

/** The styles that preserve the text. */
function traitsOf(text: string): Traits {
  const special = SPECIAL.test(text) || text.includes(' \n');
  const indicator =
    /^(---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[?-]( |$)/.test(text) || /:( |$)/.test(text) || text.includes(' #');
  return {
    canPlain: !special && !indicator && !/^ | $|\n/.test(text),
    canSingleQuote: !special && !text.includes('\n '),
    canBlock: text !== '' && !special && !text.endsWith(' '),
  };
}

function literal(text: string, indent: number): string {
  const margin = ' '.repeat(indent);
  const hint = /^[ \n]/.test(text) ? '2' : '';
  const lines = text.split('\n');
  let chomp = '-';
  if (lines.at(-1) === '') {
    lines.pop();
    chomp = lines.at(-1) === '' ? '+' : '';
  }
  return [`|${hint}${chomp}`, ...lines.map((line) => (line === '' ? '' : margin + line))].join('\n');
}

/** Folds a text at single blanks beyond the best width. A parser joins the lines with a blank again. */
function fold(text: string, { column, indent, isKey }: ScalarPosition): string {
  if (isKey || column + text.length <= BEST_WIDTH) return text;
  let folded = '';
  let at = column;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    // A blank beside another one or at an end would be lost when the text is read.
    const isSingle =
      character === ' ' && /^[^ ]$/.test(text.charAt(index - 1)) && /^[^ ]$/.test(text.charAt(index + 1));
    const breaks = isSingle && at > BEST_WIDTH;
    folded += breaks ? `\n${' '.repeat(indent)}` : character;
    at = breaks ? indent : at + 1;
  }
  return folded;
}

function singleQuoted(text: string, position: ScalarPosition): string {
  return `'${fold(text.replaceAll("'", "''"), { ...position, column: position.column + 1 })}'`;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '0'],
  ['\u0007', 'a'],
  ['\b', 'b'],
  ['\t', 't'],
  ['\n', 'n'],
  ['\v', 'v'],
  ['\f', 'f'],
  ['\r', 'r'],
  ['\u001B', 'e'],
  ['"', '"'],
  ['\\', '\\'],
  ['\u0085', 'N'],
  ['\u2028', 'L'],
  ['\u2029', 'P'],
]);

function doubleQuoted(text: string, { column, indent, isKey }: ScalarPosition): string {
  const characters = Array.from(text);
  let quoted = '"';
  let at = column + 1;
  let afterBlank = false;
  for (const [index, character] of characters.entries()) {
    const inside = index > 0 && index < characters.length - 1;
    if (character === ' ' && !isKey && !afterBlank && inside && at > BEST_WIDTH) {
      // A blank at the beginning of a line would be lost: escape it.
      const guard = characters[index + 1] === ' ' ? '\\' : '';
      quoted += `\n${' '.repeat(indent)}${guard}`;
      at = indent + guard.length;
    } else {
      const written = escapeCharacter(character);
      quoted += written;
      at += written.length;
    }
    afterBlank = character === ' ';
  }
  return `${quoted}"`;
}

function escapeCharacter(character: string): string {
  const short = ESCAPES.get(character);
  if (short !== undefined) return `\\${short}`;
  if (!SPECIAL.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return String.raw`\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? String.raw`\u${hex.padStart(4, '0')}` : String.raw`\U${hex.padStart(8, '0')}`;
}
