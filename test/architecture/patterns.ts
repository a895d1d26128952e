import { type AstNode, isNode, nodesOf } from './source.ts';

export interface FoundPattern {
  /** The position in the file. */
  readonly start: number;
  /** Undefined for a text that is not known before the program runs. */
  readonly pattern: { readonly source: string; readonly flags: string } | undefined;
}

/** The regular expressions of a file: literals, and those that `RegExp()` makes of constant texts. */
export function patternsIn(ast: AstNode): FoundPattern[] {
  const nodes = nodesOf(ast);
  const constants = new Map(nodes.flatMap(constantOf));
  return nodes.flatMap((node): FoundPattern[] => {
    if (isLiteral(node)) return [{ start: node.start, pattern: regexOf(node) }];
    if (!/^(New|Call)Expression$/.test(node.type) || nameOf(node['callee']) !== 'RegExp') return [];
    const [source, flags] = (node['arguments'] as AstNode[]).map((part) => textOf(part, constants));
    return [{ start: node.start, pattern: source === undefined ? undefined : { source, flags: flags ?? '' } }];
  });
}

function isLiteral(node: AstNode): boolean {
  return node.type === 'Literal' && isRegex(node['regex']);
}

function isRegex(value: unknown): value is { readonly pattern: string; readonly flags: string } {
  return typeof value === 'object' && value !== null && 'pattern' in value;
}

function regexOf(node: AstNode): FoundPattern['pattern'] {
  const { regex } = node;
  return isRegex(regex) ? { source: regex.pattern, flags: regex.flags } : undefined;
}

function constantOf(node: AstNode): Array<[string, AstNode]> {
  const name = node.type === 'VariableDeclarator' ? nameOf(node['id']) : undefined;
  return name !== undefined && isNode(node['init']) ? [[name, node['init']]] : [];
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined;
}

/** The text that an expression of constants makes. Undefined for any other expression. */
function textOf(node: unknown, constants: ReadonlyMap<string, AstNode>): string | undefined {
  if (!isNode(node)) return undefined;
  const text = (part: unknown): string | undefined => textOf(part, constants);
  const name = nameOf(node);
  if (name !== undefined) return text(constants.get(name));
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? node['value'] : undefined;
  if (node.type === 'BinaryExpression') return joined([text(node['left']), text(node['right'])]);
  if (node.type === 'TemplateLiteral') return templateText(node, 'cooked', text);
  if (node.type === 'TaggedTemplateExpression' && isNode(node['quasi']))
    return templateText(node['quasi'], 'raw', text);
  const { object, property } = node as AstNode & { object?: unknown; property?: unknown };
  if (node.type !== 'MemberExpression' || nameOf(property) !== 'source') return undefined;
  const of = nameOf(object);
  const held = of === undefined ? object : constants.get(of);
  if (!isNode(held)) return undefined;
  return isLiteral(held) ? regexOf(held)?.source : text((held['arguments'] as AstNode[] | undefined)?.[0]);
}

function templateText(
  node: AstNode,
  form: 'cooked' | 'raw',
  text: (part: unknown) => string | undefined,
): string | undefined {
  const quasis = node['quasis'] as ReadonlyArray<{ readonly value: Readonly<Record<'cooked' | 'raw', string>> }>;
  const expressions = node['expressions'] as readonly unknown[];
  return joined(quasis.flatMap(({ value }, index) => [value[form], ...expressions.slice(index, index + 1).map(text)]));
}

function joined(parts: ReadonlyArray<string | undefined>): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join('');
}
