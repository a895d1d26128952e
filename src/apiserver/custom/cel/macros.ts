import { serialize, type ASTNode, type Environment } from '@marcbachmann/cel-js';

/** The text of a macro in words that the package knows. */
type Expansion = (receiver: string, args: readonly string[]) => string;

/**
 * A variable for the receiver, which an expansion names more than once. A number takes the place of `@`, so that a
 * macro inside another one has a name of its own.
 */
const RECEIVER = 'podrunReceiver@';
const once = (receiver: string, inner: string): string => `cel.bind(${RECEIVER}, ${receiver}, ${inner})`;

/** A variable for the value behind each key or index. */
const bound = (key: string, value: string, inner: string): string =>
  `cel.bind(${value}, ${RECEIVER}[${key}], ${inner})`;

/** A macro with the variables of key and value, and one expression. */
const test =
  (name: string): Expansion =>
  (receiver, [key = '', value = '', inner = '']) =>
    once(receiver, `keysOf(${RECEIVER}).${name}(${key}, ${bound(key, value, inner)})`);

/** A macro that makes an item of each key and value, behind a condition or not. */
const transform =
  (item: (key: string, made: string) => string, end = ''): Expansion =>
  (receiver, [key = '', value = '', ...inner]) => {
    const made = item(key, bound(key, value, inner.at(-1) ?? ''));
    const condition = inner.length === 2 ? `${bound(key, value, inner[0] ?? '')}, ` : '';
    return once(receiver, `keysOf(${RECEIVER}).map(${key}, ${condition}${made})${end}`);
  };

/** An expression about the value of an optional, if there is one. */
const optional = (receiver: string, name: string, made: string): string =>
  once(receiver, `${RECEIVER}.hasValue() ? cel.bind(${name}, ${RECEIVER}.value(), ${made}) : optional.none()`);

/**
 * The macros that the package lacks, by name and number of arguments. Source: cel-go, ext/comprehensions.go and the
 * macro `sortBy` of ext/lists.go.
 */
const MACROS: Readonly<Record<string, Expansion>> = {
  'optMap/2': (receiver, [name = '', made = '']) => optional(receiver, name, `optional.of(${made})`),
  'optFlatMap/2': (receiver, [name = '', made = '']) => optional(receiver, name, made),
  'sortBy/2': (receiver, [name = '', key = '']) => `${receiver}.map(${name}, [${key}, ${name}]).sortedByFirst()`,
  'all/3': test('all'),
  'exists/3': test('exists'),
  'existsOne/3': test('exists_one'),
  'transformList/3': transform((_, made) => made),
  'transformList/4': transform((_, made) => made),
  'transformMap/3': transform((key, made) => `[${key}, ${made}]`, '.asMap()'),
  'transformMap/4': transform((key, made) => `[${key}, ${made}]`, '.asMap()'),
  'transformMapEntry/3': transform((_, made) => made, '.merged()'),
  'transformMapEntry/4': transform((_, made) => made, '.merged()'),
};

const MAY_BE = /\.\s*(optMap|optFlatMap|sortBy|all|exists|existsOne|transform\w+)\s*\(/;
/** The text is parsed again after each expansion. */
const EXPANSIONS_MAX = 50;
const PLACE = 'podrunMacro';

/** Adds the functions that expanded macros call. */
export function addMacroFunctions(environment: Environment): void {
  environment
    // For a value of an unknown type, the package takes the type of the first of these.
    .registerFunction('keysOf(list): list<dyn>', (list: readonly unknown[]) => list.map((_, index) => BigInt(index)))
    .registerFunction('keysOf(map): list<dyn>', (map: object) => Object.keys(map))
    .registerFunction('list.asMap(): map', (pairs: readonly (readonly [string, unknown])[]) =>
      Object.fromEntries(pairs),
    )
    .registerFunction('list.merged(): map', (maps: readonly object[]) => {
      const entries = maps.flatMap((map) => Object.entries(map));
      const names = new Set<string>();
      const twice = entries.find(([name]) => names.size === names.add(name).size)?.[0];
      if (twice !== undefined) throw new RangeError(`insert failed: key ${twice} already exists`);
      return Object.fromEntries(entries);
    });
}

/**
 * An expression without the macros that the package lacks.
 * @throws ParseError when the text is none
 */
export function withoutMacros(environment: Environment, text: string): string {
  let expanded = text;
  for (let times = 0; MAY_BE.test(expanded); times++) {
    const { ast } = environment.parse(expanded);
    const call = macroIn(ast);
    if (call === undefined) return expanded;
    if (times === EXPANSIONS_MAX) throw new RangeError(`more than ${EXPANSIONS_MAX} of its macros`);
    const [name, receiver, args] = call.args as [string, ASTNode, ASTNode[]];
    const inner = MACROS[`${name}/${args.length}`]?.(`(${serialize(receiver)})`, args.map(serialize)) ?? '';
    const numbered = inner.replaceAll(RECEIVER, `${RECEIVER.slice(0, -1)}${times}`);
    Object.assign(call, { op: 'id', args: PLACE });
    expanded = serialize(ast).replace(PLACE, () => `(${numbered})`);
  }
  return expanded;
}

function macroIn(value: unknown): ASTNode | undefined {
  if (Array.isArray(value)) {
    for (const one of value as readonly unknown[]) {
      const macro = macroIn(one);
      if (macro !== undefined) return macro;
    }
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('op' in value)) return undefined;
  const node = value as ASTNode;
  const { args } = node as { readonly args: unknown };
  const isMacro =
    node.op === 'rcall' && Array.isArray(args) && Array.isArray(args[2]) && `${args[0]}/${args[2].length}` in MACROS;
  return isMacro ? node : macroIn(args);
}
