import { expect, it } from 'vitest';
import { type AstNode, isNode, lineAt, nodesOf, sourcesBelow } from './source.ts';

/** Methods of Node.js and of collections that have the name of a function with a promise. */
const OF_NODE = /^(close|delete|end|kill|push|write)$/;

const sources = sourcesBelow('src').filter(({ path }) => !path.includes('/page/'));

it('void stands before no promise: inBackground() tells its error', () => {
  const promising = new Set(sources.flatMap(({ ast }) => nodesOf(ast).flatMap(promisingName)));
  const wrong = sources.flatMap((file) =>
    nodesOf(file.ast)
      .filter((node) => node.type === 'UnaryExpression' && node['operator'] === 'void')
      .filter((node) => {
        const name = calledName(node['argument']);
        return name !== undefined && promising.has(name) && !OF_NODE.test(name);
      })
      .map((node) => `${file.path}:${lineAt(file, node.start)}`),
  );
  expect(wrong).toEqual([]);
});

it('what Node.js calls later is inside caught()', () => {
  const wrong = sources.flatMap((file) =>
    nodesOf(file.ast)
      .filter((node) => /^(queueMicrotask|setImmediate|nextTick)$/.test(calledName(node) ?? ''))
      .filter((node) => calledName((node['arguments'] as AstNode[])[0]) !== 'caught')
      .map((node) => `${file.path}:${lineAt(file, node.start)}`),
  );
  expect(wrong).toEqual([]);
});

/** The name of a function or method that answers a promise. */
function promisingName(node: AstNode): string[] {
  const name = nameOf(node['key']) ?? nameOf(node['id']);
  const made = isNode(node['value']) ? node['value'] : isNode(node['init']) ? node['init'] : node;
  const isNamed = /^(MethodDefinition|FunctionDeclaration|VariableDeclarator|Property|TSMethodSignature)$/.test(
    node.type,
  );
  return isNamed && name !== undefined && (made['async'] === true || hasPromise(made['returnType'])) ? [name] : [];
}

function hasPromise(annotation: unknown): boolean {
  return isNode(annotation) && nodesOf(annotation).some((node) => nameOf(node['typeName']) === 'Promise');
}

function calledName(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'ChainExpression') return calledName(node['expression']);
  if (node.type !== 'CallExpression' || !isNode(node['callee'])) return undefined;
  const { callee } = node as AstNode & { callee: AstNode };
  return nameOf(callee.type === 'MemberExpression' ? callee['property'] : callee);
}

function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  return /^(Identifier|PrivateIdentifier)$/.test(node.type) ? String(node['name']) : undefined;
}
