import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { parseAst } from 'vitest/node';
import { type AstNode, isNode, nodesOf, root } from '../architecture/source.ts';

/** The built files that are run as scripts, and those of them that are programs: the other ones are loaded by these. */
export const SCRIPTS = [
  'podrun.cjs',
  'server.cjs',
  'etcd.cjs',
  'clusters.cjs',
  'network-helper.cjs',
  'image-puller.cjs',
] as const;
/** The program of the command line, and the files that it loads. */
export const PROGRAM = ['clusters.cjs', 'podrun.cjs', 'server.cjs'] as const;
/** The program of the etcd of envtest, with its arguments, and the files that it loads. */
export const ETCD: { readonly args: readonly string[]; readonly loads: readonly string[] } = {
  args: ['run-etcd', '--listen-client-urls=http://127.0.0.1:0'],
  loads: ['etcd.cjs', 'server.cjs'],
};
const PROGRAMS: ReadonlySet<string> = new Set(['podrun.cjs', 'etcd.cjs', 'network-helper.cjs', 'image-puller.cjs']);

/** Files of the build that load others, and packages that others try and can do without. */
const MAY_REQUIRE = new Set(['../dist/server.cjs', '../dist/clusters.cjs', 'supports-color']);

/** The end of a program: it loads all late parts, also those of files that it loads, and says how it went. */
const LOADS_ALL = `;(async () => {
  const { exit } = process;
  process.exit = () => undefined;
  const failed = [];
  for (const [name, load] of globalThis.lateParts)
    await Promise.resolve().then(load).catch((error) => failed.push(name + ': ' + error.message));
  const loaded = [...new Set(globalThis.lateParts.map(([name]) => name.split(':')[0]))];
  require('node:fs').writeSync(1, '\\nLATE PARTS ' + JSON.stringify({ loaded, failed }) + '\\n');
  exit(0);
})();`;

interface Outcome {
  readonly loaded: string[];
  readonly failed: string[];
}

/** A copy of the build whose programs load all of their late parts, for the tests of a file. */
interface LoadingCopy {
  readonly copy: string;
  readonly fileIn: (...parts: readonly string[]) => string;
  /** Runs a program of the copy, with an open standard input: the puller of images ends with it. */
  readonly load: (program: string, args: readonly string[]) => Promise<Outcome>;
}

export function copyForFile(): LoadingCopy {
  const copy = mkdtempSync(path.join(tmpdir(), 'podrun-late-parts-'));
  beforeAll(() => copyThatLoadsAll(copy));
  afterAll(() => rmSync(copy, { recursive: true, force: true }));
  return {
    copy,
    fileIn: (...parts) => path.join(copy, ...parts),
    load: async (program, args) => {
      const env = { PATH: process.env['PATH'], HOME: copy, XDG_CACHE_HOME: path.join(copy, 'cache') };
      const { stdout } = await promisify(execFile)(program, args, { env, cwd: copy });
      return outcomeOf(stdout);
    },
  };
}

/** The files that were loaded with their late parts, and the failures, of what a program of such a copy has printed. */
function outcomeOf(printed: string): Outcome {
  const [, outcome] = /^LATE PARTS (.*)$/m.exec(printed) ?? [];
  if (outcome === undefined) throw new Error(`it printed no outcome, but ${printed}`);
  return JSON.parse(outcome) as Outcome;
}

/**
 * Copies the launcher and the build to a folder. Each script there is the built text with an addition at its end: its
 * programs load everything at once that the built ones load when they need it.
 */
function copyThatLoadsAll(folder: string): void {
  const executable = path.join(root, 'dist/executable');
  for (const part of ['bin', 'dist']) {
    const filter = (file: string): boolean => file !== executable;
    cpSync(path.join(root, part), path.join(folder, part), { recursive: true, filter });
  }
  for (const name of SCRIPTS) {
    const file = path.join(folder, 'dist', name);
    const text = readFileSync(file, 'latin1');
    const parts = ['undefined', ...loadsIn(name).late];
    const late = parts.map((code, index) => `[${JSON.stringify(`${name}:${index}`)}, () => ${code}]`);
    const all = `;globalThis.lateParts ??= [];globalThis.lateParts.push(${late.join(',')})`;
    // The launcher's files are function expressions.
    const end = text.endsWith('\n})') ? text.length - 3 : text.length;
    const added = `${all}${PROGRAMS.has(name) ? LOADS_ALL : ''}`;
    writeFileSync(file, `${text.slice(0, end)}${added}${text.slice(end)}`, 'latin1');
  }
}

/** The expressions of a built script that load something. */
interface Loads {
  /** Those of its parts: `import(…)`, and what esbuild makes of that. */
  readonly late: readonly string[];
  /** Those that only some of its runners can do: `import()`, and `require()` of a package. */
  readonly doubtful: readonly string[];
}

/** The loads of each built script. To parse a script, and to go through its tree, takes seconds. */
const known = new Map<ScriptName, Loads>();

type ScriptName = (typeof SCRIPTS)[number];

function loadsIn(name: ScriptName): Loads {
  const loads = known.get(name) ?? findLoads(readFileSync(path.join(root, 'dist', name), 'latin1'));
  known.set(name, loads);
  return loads;
}

function findLoads(script: string): Loads {
  const nodes = nodesOf(parseAst(script) as unknown as AstNode);
  const textsOf = (isWanted: (node: AstNode) => boolean): string[] =>
    nodes.filter(isWanted).map(({ start, end }) => script.slice(start, end));
  const isImport = ({ type }: AstNode): boolean => type === 'ImportExpression';
  return {
    late: textsOf((node) => isImport(node) || isTranslatedImport(node)),
    doubtful: textsOf((node) => isImport(node) || requiresPackage(node)),
  };
}

/**
 * True for `Promise.resolve().then(() => PART)`, where esbuild has replaced `import()`. PART is `(init(), names)` for a
 * module, `names` for one that needs no start, and `convert(start())` for a CommonJS file.
 */
function isTranslatedImport(node: AstNode): boolean {
  const [then] = argumentsOf(node);
  const callee = node['callee'];
  if (then?.type !== 'ArrowFunctionExpression' || !isNode(callee) || !isCall(callee['object'])) return false;
  const { callee: resolve } = callee['object'] as AstNode & { readonly callee: AstNode };
  if (!isNamed(resolve['object'], 'Promise') || !isNamed(resolve['property'], 'resolve')) return false;
  const part = then['body'] as AstNode;
  if (part.type === 'SequenceExpression') return (part['expressions'] as AstNode[]).every(isNameOrCall);
  return isNameOrCall(part) && argumentsOf(part).every((given) => given.type === 'Literal' || isNameOrCall(given));
}

function isNameOrCall(node: AstNode): boolean {
  return node.type === 'Identifier' || (isCall(node) && isNode(node['callee']) && node['callee'].type === 'Identifier');
}

function isCall(node: unknown): node is AstNode {
  return isNode(node) && node.type === 'CallExpression';
}

function argumentsOf(node: AstNode): AstNode[] {
  return isCall(node) ? (node['arguments'] as AstNode[]) : [];
}

function isNamed(node: unknown, name: string): boolean {
  return isNode(node) && node.type === 'Identifier' && node['name'] === name;
}

/** The loads of a built script that only some of its runners can do. */
export function doubtfulLoads(name: ScriptName): readonly string[] {
  return loadsIn(name).doubtful;
}

function requiresPackage(node: AstNode): boolean {
  if (!isNamed(node['callee'], 'require')) return false;
  const id = argumentsOf(node)[0]?.['value'];
  return typeof id !== 'string' || !(isBuiltin(id) || MAY_REQUIRE.has(id));
}
