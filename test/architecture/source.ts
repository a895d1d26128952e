import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vitest/node';
import { isFace, throughFaces } from '../../faces.mjs';

/** Root of the checkout. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url));

/** A node of the syntax tree (ESTree with TypeScript): `type`, `start`, `end`, and the fields of its type. */
export interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export interface SourceFile {
  /** The path from the root, with slashes: `src/lifecycle/status/phase.ts`. */
  readonly path: string;
  readonly text: string;
  readonly ast: AstNode;
}

export interface Import {
  /** The specifier, such as `node:fs` or `yaml`; for a file of this project, its path from the root. */
  readonly target: string;
  /** True for `import()`. */
  readonly isLate: boolean;
  readonly isType: boolean;
  readonly line: number;
}

/** Files that are not written by hand: sizes and style do not apply. */
const NOT_OURS = /^(test\/conformance|src\/api\/generated)\//;

/** Paths of all files below a folder of the checkout, sorted. Leaves out generated and shared files. */
export function filesBelow(folder: string, ending: RegExp = /./): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((file) => ending.test(file) && !NOT_OURS.test(file))
    .toSorted();
}

export function readText(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

/** The files of each folder. The tests of a worker share them: to parse all files takes seconds. */
const known = new Map<string, readonly SourceFile[]>();

/**
 * The TypeScript and JavaScript files of a folder. Each is parsed when its tree is asked for. Imports from faces are
 * seen as imports of the files behind them, as what is built has them; the faces are left out.
 */
export function sourcesBelow(folder: string): readonly SourceFile[] {
  const sources = known.get(folder) ?? readSources(folder);
  known.set(folder, sources);
  return sources;
}

function readSources(folder: string): SourceFile[] {
  const files = filesBelow(folder, /\.(ts|mjs|js)$/).filter((file) => !isFace(file));
  return files.map((file) => {
    const text = throughFaces(readText(file), file);
    let ast: AstNode | undefined;
    return {
      path: file,
      text,
      get ast() {
        return (ast ??= parse(text));
      },
    };
  });
}

/** The syntax tree of a TypeScript text. */
export function parse(text: string): AstNode {
  return parseAst(text, { lang: 'ts' }) as unknown as AstNode;
}

/** The nodes of each file. The tests of a worker share them, as they share the trees. */
const nodesOfFiles = new WeakMap<AstNode, readonly AstNode[]>();

/** Every node of the tree, parents first. */
export function nodesOf(tree: AstNode): readonly AstNode[] {
  if (tree.type !== 'Program') return collectNodes(tree);
  const nodes = nodesOfFiles.get(tree) ?? collectNodes(tree);
  nodesOfFiles.set(tree, nodes);
  return nodes;
}

function collectNodes(tree: AstNode): AstNode[] {
  const nodes: AstNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const child of value) visit(child);
    if (!isNode(value)) return;
    nodes.push(value);
    for (const name in value) visit(value[name]);
  };
  visit(tree);
  return nodes;
}

export function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** The positions of the line ends of each file. */
const lineEnds = new WeakMap<SourceFile, readonly number[]>();

/** The line of a position in a file, from 1. */
export function lineAt(file: SourceFile, position: number): number {
  const ends = lineEnds.get(file) ?? [...file.text.matchAll(/\n/g)].map(({ index }) => index);
  lineEnds.set(file, ends);
  const next = ends.findIndex((end) => end >= position);
  return next === -1 ? ends.length + 1 : next + 1;
}

const IMPORTING = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** The imports of a file: static ones, `import()`, `import('…').Type` and re-exports. */
export function importsOf(file: SourceFile): Import[] {
  return nodesOf(file.ast).flatMap((node) => {
    if (!IMPORTING.has(node.type) || !isNode(node['source'])) return [];
    const name = String(node['source']['value']);
    const target = name.startsWith('.') ? path.posix.join(path.posix.dirname(file.path), name) : name;
    const names = Array.isArray(node['specifiers']) ? node['specifiers'].filter(isNode) : [];
    const areTypes = names.length > 0 && names.every((name) => name['importKind'] === 'type');
    const isWholeType = node['importKind'] === 'type' || node['exportKind'] === 'type' || node.type === 'TSImportType';
    const isType = areTypes || isWholeType;
    return [{ target, isLate: node.type === 'ImportExpression', isType, line: lineAt(file, node.start) }];
  });
}
