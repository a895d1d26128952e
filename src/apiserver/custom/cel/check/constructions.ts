/**
 * Objects that an expression constructs: `Object{spec: Object.spec{replicas: 1}}`, `JSONPatch{op: "remove"}`. The
 * package does not parse them, so that each becomes the call of a function with the name of the type and a map.
 * Source: apiserver/pkg/cel/mutation.
 */

/** The function that an expression calls in the place of a construction. */
export const CONSTRUCTOR = 'podrunConstructed';

/** An expression with calls in the place of its constructions. */
export interface Rewritten {
  readonly text: string;
  /** Finds the place in the given text that a place in the rewritten text comes from. */
  readonly placeOf: (at: number) => number;
}

/** A bracket that is open. Constructions have fields with names. */
interface Open {
  readonly isConstruction: boolean;
  isBeforeField: boolean;
}

const NAME = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/y;
const SPACE = /\s*/y;

/** Replaces the constructions of an expression by calls. A text that is no expression stays about the same. */
export function withoutConstructions(given: string): Rewritten {
  const parts: string[] = [];
  const places: { readonly at: number; readonly from: number; readonly isOwn: boolean }[] = [];
  const opened: Open[] = [];
  let length = 0;
  const write = (part: string, from: number, isOwn: boolean): void => {
    places.push({ at: length, from, isOwn });
    parts.push(part);
    length += part.length;
  };
  for (let at = 0; at < given.length;) {
    const end = endOfToken(given, at);
    const token = given.slice(at, end);
    const last = opened.at(-1);
    const next = endOf(SPACE, given, end);
    if (/^[A-Za-z_]/.test(token) && token !== 'in' && given[next] === '{') {
      write(`${CONSTRUCTOR}("${token}", {`, next, true);
      opened.push({ isConstruction: true, isBeforeField: true });
      at = next + 1;
      continue;
    }
    if (last?.isBeforeField === true && /^[A-Za-z_?]/.test(token)) {
      const name = token === '?' ? endOfToken(given, next) : end;
      write(`"${given.slice(at, name).replaceAll(/\s/g, '')}"`, at, true);
      last.isBeforeField = false;
      at = name;
      continue;
    }
    if ('([{'.includes(token)) opened.push({ isConstruction: false, isBeforeField: false });
    if (token === ',' && last?.isConstruction === true) last.isBeforeField = true;
    const isClosed = ')]}'.includes(token) ? opened.pop() : undefined;
    write(isClosed?.isConstruction === true ? '})' : token, at, false);
    at = end;
  }
  const placeOf = (at: number): number => {
    const place = places.findLast((one) => one.at <= at);
    if (place === undefined) return at;
    return place.isOwn ? place.from : place.from + at - place.at;
  };
  return { text: parts.join(''), placeOf };
}

/** The end of the text, comment, name or sign that begins at a place. */
function endOfToken(text: string, at: number): number {
  const rest = text.slice(at, at + 4);
  if (rest.startsWith('//')) return endAt(text.indexOf('\n', at), text.length);
  const quoted = /^[rRbB]?("""|'''|"|')/.exec(rest);
  const quote = quoted?.[1];
  if (quote !== undefined) return endOfText(text, at + (quoted?.[0].length ?? 0), quote);
  const name = endOf(NAME, text, at);
  return name > at ? name : at + 1;
}

function endOfText(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return text.length;
}

function endAt(at: number, otherwise: number): number {
  return at < 0 ? otherwise : at;
}

function endOf(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : at;
}
