import { describe, expect, it } from 'vitest';
import { type AstNode, isNode, lineAt, nodesOf, parse, type SourceFile, sourcesBelow } from './source.ts';

const CATALOGUES = ['src/lifecycle/texts/', 'src/controllers/texts/'];
const isInCatalogue = ({ path }: SourceFile): boolean => CATALOGUES.some((folder) => path.startsWith(folder));
/** The folder of the probe protocols. It holds the error texts of Go's network libraries. */
const PROTOCOLS = 'src/kubelet/probe/';

const everywhere = [
  'src/lifecycle',
  'src/controllers',
  'src/kubelet',
  'src/workloads',
  'src/network/node',
  'src/images/node',
].flatMap(sourcesBelow);
const catalogue = everywhere.filter(isInCatalogue);
/**
 * Layers that only read statuses. They may have their own messages, but must not repeat the reasons of other layers.
 */
const readers = ['src/print', 'src/engine', 'src/apiserver', 'src/library', 'src/cli'].flatMap(sourcesBelow);
const elsewhere = everywhere.filter((file) => !isInCatalogue(file) && !file.path.startsWith(PROTOCOLS));

describe('what events and statuses say', () => {
  it('is written in the catalogue, nowhere else', () => {
    const wrong = elsewhere.flatMap((file) =>
      nodesOf(file.ast)
        .filter(isWording)
        .map((node) => `${file.path}:${lineAt(file, node.start)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('is not written out again where it is read', () => {
    const wrong = readers.flatMap((file) =>
      nodesOf(file.ast)
        .filter(comparesWording)
        .map((node) => `${file.path}:${lineAt(file, node.start)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has its source beside it, or is called our own', () => {
    expect(catalogue.flatMap(silentExports)).toEqual([]);
  });

  it('is found wherever it is hidden', () => {
    const hidden = [
      "const x = { reason: 'Killing' };",
      'const x = { message: `Stopping ${y}` };',
      "const x = { type: 'Normal', reason, message };",
      "const x = { reason: y ? 'Error' : z };",
      "const message = 'gone';",
      "if (state.reason === 'Error') f();",
    ];
    const found = hidden.filter((text) => nodesOf(parse(text)).some(isWording));
    expect(found).toEqual(hidden);
  });
});

/** True for `reason: '…'`, `message = …`, `x.reason === '…'`, and for an event as an object literal. */
function isWording(node: AstNode): boolean {
  if (node.type === 'Property') {
    if (nameOf(node['key']) === 'type') return /^(Normal|Warning)$/.test(literal(node['value']) ?? '');
    return isMessageName(nameOf(node['key'])) && isText(node['value']);
  }
  if (node.type === 'VariableDeclarator') return isMessageName(nameOf(node['id'])) && isText(node['init']);
  return comparesWording(node);
}

function comparesWording(node: AstNode): boolean {
  if (node.type !== 'BinaryExpression') return false;
  const sides = [node['left'], node['right']];
  return sides.some((side) => isMessageName(nameOf(side))) && sides.some(isText);
}

function isMessageName(name: string | undefined): boolean {
  return name === 'reason' || name === 'message';
}

function isText(value: unknown): boolean {
  if (!isNode(value)) return false;
  if (value.type === 'ConditionalExpression') return isText(value['consequent']) || isText(value['alternate']);
  return value.type === 'TemplateLiteral' || Boolean(literal(value));
}

/** The text of a string literal. */
function literal(value: unknown): string | undefined {
  return isNode(value) && typeof value['value'] === 'string' ? value['value'] : undefined;
}

/** The name of a variable, or the last name of `a.b.c`. */
function nameOf(value: unknown): string | undefined {
  if (!isNode(value)) return undefined;
  if (value.type === 'ChainExpression') return nameOf(value['expression']);
  if (value.type === 'MemberExpression') return nameOf(value['property']);
  return value.type === 'Identifier' ? String(value['name']) : undefined;
}

/** Exported functions and constants whose comment, and the heading of their section, name no source of their texts. */
function silentExports({ path, text, ast }: SourceFile): string[] {
  const nodes = ast['body'] as AstNode[];
  return nodes.flatMap((node, index) => {
    const declaration = node['declaration'];
    if (node.type !== 'ExportNamedDeclaration' || !isNode(declaration)) return [];
    if (declaration.type.startsWith('TS')) return [];
    const comment = text.slice(nodes[index - 1]?.end ?? 0, node.end);
    const [section = ''] = [...text.slice(0, node.start).matchAll(/(?<=\n)\/\/ .*(\n\/\/ .*)*/g)].at(-1) ?? [];
    return /Source:|podrun's own/.test(comment + section)
      ? []
      : [`${path}: ${text.slice(node.start, node.start + 60)}`];
  });
}
