import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { getConsumedChars, getFirstConsumedChar, type ReadonlyFlags } from 'regexp-ast-analysis';

type CharSet = ReturnType<typeof getConsumedChars>['chars'];

/** The characters after which `^` matches with the flag m. */
const LINE_ENDS = [0x0a, 0x0d, 0x2028, 0x2029];

/** An element of the tree of a pattern, and the direct way from it to the pattern. */
type Place = AST.Element;

/**
 * Says why a pattern may take more than linear time. Answers an empty list for a pattern that cannot.
 *
 * JavaScript's engine begins a match at each character, and tries every way to go on when the rest does not fit. So the
 * time is not linear where two parts can take the same text, and what lies between them fits into that text as often as
 * one likes: in `/ *,/` the start of the match and ` *`, in `/^.*=.*;/` both `.*`, in `/^(a?a)*$/` two turns of the
 * repetition. Then what follows must be able to fail.
 */
export function superLinear(source: string, flagsText: string): string[] {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  const unicode = { unicode: flagsText.includes('u'), unicodeSets: flagsText.includes('v') };
  const pattern = parser.parsePattern(source, 0, source.length, unicode);
  const flags = parser.parseFlags(flagsText);
  const unbounded = elementsOf(pattern).filter(isUnbounded);
  const lasts = unbounded.filter((quantifier) => after(quantifier, loopsAround(quantifier)[0]).some(isRequired));
  return [
    ...lasts
      .filter((last) => !flags.sticky && !isBlocked(before(last), flags, charsOf(last, flags)))
      .map((last) => `every start of a match may go through ${last.raw}`),
    ...lasts.flatMap((last) =>
      unbounded
        .filter((first) => sharesText(first, last, flags))
        .map((first) => `${first.raw} and ${last.raw} share text`),
    ),
    ...unbounded
      .filter((loop) => after(loop).some(isRequired))
      .flatMap((loop) =>
        ambiguities(loop, flags).map((part) => `${part} may take one or several turns of ${loop.raw}`),
      ),
  ];
}

/** True when the text of two quantifiers can be divided between them in many ways. */
function sharesText(first: AST.Quantifier, last: AST.Quantifier, flags: ReadonlyFlags): boolean {
  if (first === last || !isBefore(first, last) || isWhole(first, flags)) return false;
  const shared = charsOf(first, flags).intersect(charsOf(last, flags));
  return !isBlocked([first.element, ...between(first, last), last.element], flags, shared);
}

/** The parts of a repetition that can take the same text in one turn, in several, or in another part. */
function ambiguities(loop: AST.Quantifier, flags: ReadonlyFlags): string[] {
  const inner = elementsOf(loop.element);
  const varying = inner.filter((element) => element.type === 'Quantifier' && element.min !== element.max);
  const stretching = (varying as AST.Quantifier[]).filter(
    (each) => !isBlocked([...after(each, loop), ...before(each, loop)], flags, charsOf(each, flags)),
  );
  const choices = inner.filter((element) => 'alternatives' in element && hasSharedBegin(element as AST.Group, flags));
  return [...stretching, ...choices].map(({ raw }) => raw);
}

/** True when two alternatives can begin with the same character. */
function hasSharedBegin({ alternatives }: AST.Group, flags: ReadonlyFlags): boolean {
  const begins = alternatives.map((each) => getFirstConsumedChar(each, 'ltr', flags).char);
  return begins.some((begin, index) => begins.slice(index + 1).some((other) => !begin.isDisjointWith(other)));
}

function isUnbounded(element: AST.Node): element is AST.Quantifier {
  return element.type === 'Quantifier' && element.max === Number.POSITIVE_INFINITY;
}

function charsOf(element: AST.Element, flags: ReadonlyFlags): CharSet {
  return getConsumedChars(element, flags).chars;
}

/** All elements below a node, and the node itself. */
function elementsOf(node: AST.Node): AST.Node[] {
  const below = 'alternatives' in node ? node.alternatives : 'elements' in node ? node.elements : [];
  const inner = node.type === 'Quantifier' ? [node.element] : node.type === 'CharacterClass' ? [] : below;
  return [node, ...inner.flatMap((each) => elementsOf(each as AST.Node))];
}

/** The elements of the same sequence before an element, outwards to `root`: those that are next to it come last. */
function before(place: Place, root?: AST.Node): Place[] {
  return outwards(place, root).flatMap(({ alternative, index }) => alternative.elements.slice(0, index));
}

function after(place: Place, root?: AST.Node): Place[] {
  return outwards(place, root).flatMap(({ alternative, index }) => alternative.elements.slice(index + 1));
}

/** The sequences that an element is part of, inner ones first, and its place in each. */
function outwards(place: Place, root?: AST.Node): Array<{ alternative: AST.Alternative; index: number }> {
  const found = [];
  let node: AST.Node = place;
  while (node !== root && node.parent !== null) {
    const { parent }: AST.Node = node;
    if (parent.type === 'Alternative')
      found.push({ alternative: parent, index: parent.elements.indexOf(node as Place) });
    node = parent;
  }
  return found;
}

/** True when a match can go on from the one to the other. */
function isBefore(first: Place, last: Place): boolean {
  const ways = outwards(last);
  return outwards(first).some(({ alternative, index }) =>
    ways.some((way) => way.alternative === alternative && index < way.index),
  );
}

/** The elements that a match passes on its way from the one to the other. */
function between(first: Place, last: Place): Place[] {
  const ways = outwards(last);
  for (const { alternative, index } of outwards(first)) {
    const way = ways.find((each) => each.alternative === alternative);
    if (way === undefined) continue;
    const [from, to] = [alternative.elements[index], alternative.elements[way.index]];
    return [...after(first, from), ...alternative.elements.slice(index + 1, way.index), ...before(last, to)];
  }
  return [];
}

/** True when one of the elements has to take a character that the text of a quantifier cannot have. */
function isBlocked(elements: readonly Place[], flags: ReadonlyFlags, chars: CharSet): boolean {
  return elements.some((element) => {
    if (element.type === 'Quantifier') return element.min > 0 && isBlocked([element.element], flags, chars);
    if (element.type === 'Assertion') {
      if (element.kind === 'lookbehind') return isOutside(element, flags, chars);
      return element.kind === 'start' && !(flags.multiline && LINE_ENDS.some((end) => chars.has(end)));
    }
    if ('alternatives' in element) {
      return element.alternatives.every((each) => 'elements' in each && isBlocked(each.elements, flags, chars));
    }
    return charsOf(element, flags).isDisjointWith(chars);
  });
}

/** True for `(?!x)` and `(?<!x)` where x can be any of the characters. */
function isOutside(assertion: AST.LookaroundAssertion, flags: ReadonlyFlags, chars: CharSet): boolean {
  const [only] = assertion.alternatives.length === 1 ? (assertion.alternatives[0]?.elements ?? []) : [];
  return assertion.negate && only !== undefined && charsOf(only, flags).isSupersetOf(chars);
}

/** True for `x*(?!x)`: it never gives back what it took. */
function isWhole(quantifier: AST.Quantifier, flags: ReadonlyFlags): boolean {
  const [next] = after(quantifier);
  return next?.type === 'Assertion' && next.kind === 'lookahead' && isOutside(next, flags, charsOf(quantifier, flags));
}

function isRequired(element: Place): boolean {
  if (element.type === 'Quantifier') return element.min > 0 && isRequired(element.element);
  if ('alternatives' in element && element.type !== 'Assertion') {
    return element.alternatives.every((each) => 'elements' in each && each.elements.some(isRequired));
  }
  return true;
}

/** The repetitions around an element, inner ones first. */
function loopsAround(place: Place): AST.Quantifier[] {
  const found: AST.Quantifier[] = [];
  for (let node: AST.Node | null = place.parent; node !== null; node = node.parent)
    if (isUnbounded(node)) found.push(node);
  return found;
}
