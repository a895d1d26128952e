import { expect, it } from 'vitest';
import { type AstNode, isNode, lineAt, nodesOf, sourcesBelow } from './source.ts';

/** Node's modules and packages, and what makes an emitter of events in each: of a socket, a process, a folder. */
const MAKERS: Readonly<Record<string, RegExp>> = {
  'node:net': /^(createServer|connect|createConnection|Socket|Server)$/,
  'node:tls': /^(createServer|connect|TLSSocket)$/,
  'node:http': /^(createServer|request|get)$/,
  'node:https': /^(createServer|request|get)$/,
  'node:http2': /^(createServer|connect)$/,
  'node:dgram': /^createSocket$/,
  'node:tty': /^(ReadStream|WriteStream)$/,
  'node:readline': /^createInterface$/,
  'node:child_process': /^(spawn|fork|exec|execFile)$/,
  'node:fs': /^(watch|createWriteStream)$/,
  execa: /^execa$/,
  ws: /^(WebSocket|WebSocketServer)$/,
};

/** Emitters that nothing listens to: their outcome is awaited. Each file with the reason. */
const AWAITED: Readonly<Record<string, string>> = {
  'src/images/load.ts': 'a stream of a pipeline',
  'src/images/puller/start.ts': 'a program that ends with a defect: podrun says so, and starts it again',
  'src/runtime/helpers/user-programs.ts': 'the promise of a process',
};

it('what hears from outside is made inside guarded(): a listener that throws ends its connection, no more', () => {
  const unguarded = sourcesBelow('src')
    .filter(({ path }) => !/\/page\//.test(path))
    .flatMap((file) => unguardedIn(file.ast).map((node) => ({ file: file.path, line: lineAt(file, node.start) })));
  const wrong = unguarded.filter(({ file }) => !Object.hasOwn(AWAITED, file));
  expect(wrong.map(({ file, line }) => `${file}:${line}`)).toEqual([]);
  const excepted = new Set(unguarded.map(({ file }) => file).filter((file) => Object.hasOwn(AWAITED, file)));
  expect([...excepted].toSorted()).toEqual(Object.keys(AWAITED).toSorted());
});

/** The calls of makers that are no argument of `guarded` or `guardedProcess`. */
function unguardedIn(ast: AstNode): AstNode[] {
  const nodes = nodesOf(ast);
  const makers = new Map(nodes.flatMap(makersOf));
  const modules = new Map(nodes.flatMap(modulesOf));
  const guarded = new Set(
    nodes
      .filter((node) => /^guarded(Process)?$/.test(nameOf(calleeOf(node)) ?? ''))
      .flatMap((node) => nodesOf((node['arguments'] as AstNode[])[0] as AstNode)),
  );
  return nodes.filter((node) => !guarded.has(node) && isMaker(calleeOf(node), makers, modules));
}

function isMaker(callee: unknown, makers: ReadonlyMap<string, string>, modules: ReadonlyMap<string, string>): boolean {
  if (!isNode(callee)) return false;
  const name = nameOf(callee);
  if (name !== undefined) return makers.has(name);
  if (callee.type !== 'MemberExpression') return false;
  // `http.request()`, and `(isSecure ? https : http).request()`.
  const from = nodesOf(callee['object'] as AstNode).map((node) => builtinOf(node) ?? modules.get(nameOf(node) ?? ''));
  return from.some((module) => module !== undefined && MAKERS[module]?.test(nameOf(callee['property']) ?? ''));
}

/** Names of makers: `import { connect as dial } from 'node:net'`, `const { execa } = await import('execa')`. */
function makersOf(node: AstNode): Array<[string, string]> {
  const module = moduleOf(node);
  const pattern = MAKERS[module ?? ''];
  const id = node['id'];
  const named =
    node.type === 'ImportDeclaration'
      ? (node['specifiers'] as AstNode[]).map(({ imported, local }) => [imported, local])
      : isNode(id) && id.type === 'ObjectPattern'
        ? (id['properties'] as AstNode[]).map(({ key, value }) => [key, value])
        : [];
  return named.flatMap(([from, to]): Array<[string, string]> => {
    const [known, local] = [nameOf(from), nameOf(to)];
    return known !== undefined && local !== undefined && pattern?.test(known) === true ? [[local, known]] : [];
  });
}

/** Names of whole modules: `import http from 'node:http'`. */
function modulesOf(node: AstNode): Array<[string, string]> {
  const module = moduleOf(node);
  if (node.type !== 'ImportDeclaration' || module === undefined) return [];
  const whole = (node['specifiers'] as AstNode[]).filter(({ type }) => type !== 'ImportSpecifier');
  return whole.map(({ local }) => [nameOf(local) ?? '', module]);
}

/** The module that a declaration takes names from. */
function moduleOf(node: AstNode): string | undefined {
  const source = node.type === 'ImportDeclaration' ? node['source'] : undefined;
  if (isNode(source)) return String(source['value']);
  if (node.type !== 'VariableDeclarator' || !isNode(node['init'])) return undefined;
  const init = node['init'].type === 'AwaitExpression' ? (node['init']['argument'] as AstNode) : node['init'];
  const loaded = init.type === 'ImportExpression' ? init['source'] : undefined;
  return isNode(loaded) ? String(loaded['value']) : builtinOf(init);
}

/** The module of `process.getBuiltinModule('node:net')`. */
function builtinOf(node: AstNode): string | undefined {
  const callee = calleeOf(node);
  if (!isNode(callee) || callee.type !== 'MemberExpression') return undefined;
  const [module] = node['arguments'] as AstNode[];
  return nameOf(callee['property']) === 'getBuiltinModule' ? String(module?.['value']) : undefined;
}

function calleeOf(node: AstNode): unknown {
  return /^(New|Call)Expression$/.test(node.type) ? node['callee'] : undefined;
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined;
}
