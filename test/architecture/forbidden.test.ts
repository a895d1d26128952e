import { describe, expect, it } from 'vitest';
import {
  type AstNode,
  filesBelow,
  isNode,
  lineAt,
  nodesOf,
  readText,
  type SourceFile,
  sourcesBelow,
} from './source.ts';

/** The programs: the command line, the helper in private networks, the process that pulls images, envtest's etcd. */
const ENDS_ITSELF = /^src\/(cli\/|(network\/linux\/helper|images\/puller|envtest\/etcd)\/start\.ts$)/;

/** The page of the dashboard runs in a browser. */
const CLOCKS = /^src\/(clock\.ts|server\/dashboard\/page\/.*)$/;

/** Uses that are allowed in some files only, and the reason. `uses` is matched against `name` and `object.property`. */
const RULES: ReadonlyArray<{ readonly what: string; readonly uses: RegExp; readonly allowed: RegExp }> = [
  { what: 'printing behind the back of the command line', uses: /^console\./, allowed: /^$/ },
  { what: 'ending the process', uses: /^process\.(exit|exitCode|abort|reallyExit)$/, allowed: ENDS_ITSELF },
  {
    what: 'the standard streams',
    uses: /^process\.(stdout|stderr)$/,
    allowed: /^src\/library\/output\.ts$/,
  },
  { what: 'the home and the name of the user', uses: /^(os\.)?(homedir|userInfo)$/, allowed: /^src\/user\.ts$/ },
  { what: 'standard input', uses: /^process\.stdin$/, allowed: ENDS_ITSELF },
  { what: 'reading a clock', uses: /^(Date\.now|performance\.\w+)$/, allowed: CLOCKS },
  { what: 'setting a timer', uses: /^(setTimeout|setInterval|AbortSignal\.timeout)$/, allowed: CLOCKS },
  { what: 'sending signals', uses: /^process\.kill$/, allowed: /^src\/runtime\// },
  {
    what: 'the environment of podrun itself',
    uses: /^process\.env$/,
    allowed: /^src\/((cli|envtest\/etcd)\/start\.ts|library\/|runtime\/|engine\/background\/)/,
  },
  {
    what: 'the current folder of podrun itself',
    uses: /^process\.(cwd|chdir)$/,
    allowed: /^src\/(cli\/start|library\/.*|envtest\/api\/open-test-api|runtime\/helpers\/user-programs)\.ts$/,
  },
  {
    what: 'chance in a pure layer',
    uses: /^(Math\.random|crypto\.\w+)$/,
    allowed: /^src\/(?!(lifecycle|controllers|history|print|api)\/)/,
  },
  {
    what: 'the process in a pure layer',
    uses: /^process\./,
    allowed: /^src\/(?!(lifecycle|controllers|history|print|api)\/)/,
  },
];

/** Exceptions, each with its reason. The test fails for an exception without a use. */
const EXCEPTIONS: ReadonlyArray<{ readonly file: string; readonly use: string; readonly because: string }> = [];

const source = sourcesBelow('src');
const uses = source.flatMap((file) =>
  usesIn(file).map(({ name, at }) => ({ file: file.path, name, line: lineAt(file, at) })),
);
const excepted = (file: string, name: string): boolean =>
  EXCEPTIONS.some((exception) => exception.file === file && exception.use === name);

describe('what only one place may do', () => {
  it.each(RULES)('$what', ({ uses: pattern, allowed }) => {
    const wrong = uses.filter(({ file, name }) => pattern.test(name) && !allowed.test(file) && !excepted(file, name));
    expect(wrong.map(({ file, line, name }) => `${file}:${line} uses ${name}`)).toEqual([]);
  });

  it('a path of the command line begins in the folder of its call', () => {
    const wrong = sourcesBelow('src/cli').flatMap((file) =>
      nodesOf(file.ast)
        .filter((node) => node.type === 'CallExpression' && (node['arguments'] as unknown[]).length === 1)
        .filter(({ callee }) => isNode(callee) && nameOf(callee['object']) === 'path')
        .filter(({ callee }) => isNode(callee) && nameOf(callee['property']) === 'resolve')
        .map((node) => `${file.path}:${lineAt(file, node.start)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('a date without a moment reads the clock', () => {
    const wrong = source.flatMap((file) =>
      nodesOf(file.ast)
        .filter((node) => node.type === 'NewExpression' && nameOf(node['callee']) === 'Date')
        .filter((node) => (node['arguments'] as unknown[]).length === 0)
        .map((node) => `${file.path}:${lineAt(file, node.start)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('the only clock is made where the process starts, and passed on from there', () => {
    const makers = source.filter((file) =>
      nodesOf(file.ast).some((node) => node.type === 'NewExpression' && nameOf(node['callee']) === 'SystemClock'),
    );
    expect(makers.map(({ path }) => path)).toEqual([
      'src/cli/start.ts',
      'src/envtest/etcd/start.ts',
      'src/images/puller/start.ts',
      'src/library/envtest.ts',
      'src/library/run.ts',
      'src/library/serve.ts',
      'src/network/linux/helper/start.ts',
    ]);
  });

  it('the lifecycle and the controllers promise nothing: they are computed at once', () => {
    const wrong = ['src/lifecycle', 'src/controllers'].flatMap(sourcesBelow).flatMap((file) =>
      nodesOf(file.ast)
        .filter((node) => node.type === 'AwaitExpression' || node['async'] === true || nameOf(node) === 'Promise')
        .map((node) => `${file.path}:${lineAt(file, node.start)}`),
    );
    expect(wrong).toEqual([]);
  });

  it('folders are removed by src/remove-tree.ts: what Node itself removes differs by its version', () => {
    const tools = /^src\/api\/schema\//;
    const files = [
      ...source.filter(({ path }) => !tools.test(path)),
      ...sourcesBelow('bin').filter(({ path }) => !path.endsWith('/build.mjs')),
    ];
    const wrong = files
      .filter(({ path }) => path !== 'src/remove-tree.ts')
      .flatMap((file) =>
        nodesOf(file.ast)
          .filter(mayRemoveFolder)
          .map((node) => `${file.path}:${lineAt(file, node.start)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('tests are skipped by test/needs.ts, which tries what the machine has, and tells at the end what it lacks', () => {
    const wrong = filesBelow('test', /\.test\.ts$/).filter((file) =>
      /\b(it|test|describe|context|ctx)\b[.\w]*\.(skipIf|runIf|skip|todo)\(/.test(readText(file)),
    );
    expect(wrong.filter((file) => file !== 'test/architecture/forbidden.test.ts')).toEqual([]);
  });

  it('tests that run beside each other await by the expect of their context: the imported one forgets its test', () => {
    const wrong = filesBelow('test', /\.ts$/).filter((file) => {
      const text = readText(file);
      const isShared = !file.endsWith('.test.ts') || /\bconcurrent\b/.test(text);
      return (
        isShared &&
        /(?<!\.)\bexpect\s*\.poll\(/.test(text) &&
        /import \{[^}]*\bexpect\b[^}]*\} from 'vitest'/.test(text)
      );
    });
    expect(wrong).toEqual([]);
  });

  it('folders and files are made for podrun alone, or by src/exact-mode.ts: the umask must not decide', () => {
    // Files of the user (of cp, init, a report) have the umask of that user. The kernel makes the files of cgroups, and
    // the last are tools of this project.
    const others =
      /^src\/(exact-mode\.ts|cli\/(connect|report|verbs)\/|runtime\/linux\/cgroup\/|(api|apiserver)\/.*\.mjs$)/;
    const wrong = source
      .filter(({ path }) => !others.test(path))
      .flatMap((file) =>
        nodesOf(file.ast)
          .filter((node) => leavesModeToUmask(node, file.text))
          .map((node) => `${file.path}:${lineAt(file, node.start)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('a file that may be missing is looked at by src/quietly.ts: stat hides more errors in newer versions', () => {
    const wrong = source
      .filter(({ path }) => path !== 'src/quietly.ts')
      .flatMap((file) =>
        nodesOf(file.ast)
          .filter(hidesErrors)
          .map((node) => `${file.path}:${lineAt(file, node.start)}`),
      );
    expect(wrong).toEqual([]);
  });

  it('every exception is still needed', () => {
    const idle = EXCEPTIONS.filter(({ file, use }) => !uses.some((seen) => seen.file === file && seen.name === use));
    expect(idle).toEqual([]);
  });
});

/** Names that a file uses as values: `setTimeout`, `process.exit`. Declarations, keys and types do not count. */
function usesIn(file: SourceFile): Array<{ name: string; at: number }> {
  return nodesOf(file.ast).flatMap((node) => {
    if (node.type === 'MemberExpression' && node['computed'] === false) {
      const [object, property] = [nameOf(node['object']), nameOf(node['property'])];
      // A variable may have the name `process`, too.
      const isOurs = object === 'process' && !(property !== undefined && property in process);
      return isOurs ? [] : [{ name: `${object}.${property}`, at: node.start }];
    }
    const callee = node.type === 'CallExpression' ? nameOf(node['callee']) : undefined;
    const passed = node.type === 'CallExpression' ? (node['arguments'] as AstNode[]).map(nameOf) : [];
    return [callee, ...passed].flatMap((name) => (name === undefined ? [] : [{ name, at: node.start }]));
  });
}

/** True for a call of rm, rmSync, rmdir or rmdirSync with other options than `{ force: true }`. */
function mayRemoveFolder(node: AstNode): boolean {
  if (node.type !== 'CallExpression' || !isNode(node['callee'])) return false;
  const { callee, arguments: [, options] = [] } = node as AstNode & { callee: AstNode; arguments?: AstNode[] };
  const name = nameOf(callee.type === 'MemberExpression' ? callee['property'] : callee);
  if (!/^(rm|rmdir)(Sync)?$/.test(name ?? '') || options === undefined) return false;
  const keys =
    options.type === 'ObjectExpression' ? (options['properties'] as AstNode[]).map(({ key }) => nameOf(key)) : [];
  return keys.length !== 1 || keys[0] !== 'force';
}

/** True for a call that makes a folder or a file with another mode than one for its user alone. */
function leavesModeToUmask(node: AstNode, text: string): boolean {
  if (node.type !== 'CallExpression' || !isNode(node['callee'])) return false;
  const { callee } = node;
  const name = nameOf(callee.type === 'MemberExpression' ? callee['property'] : callee) ?? '';
  const [, ...options] = (node['arguments'] as AstNode[]).map(({ start, end }) => text.slice(start, end));
  const opensNew = /^open(Sync)?$/.test(name) && /^'[aw]|O_CREAT/.test(options[0] ?? '');
  const makes = /^(mkdir|writeFile|appendFile)(Sync)?$|^createWriteStream$/.test(name);
  return (opensNew || makes) && !/0o[67]00\b|\b(PRIVATE(_\w+)?|(FILE|FOLDER)_MODE)\b/.test(options.join());
}

/** True for a call of statSync that answers undefined for a missing file. */
function hidesErrors(node: AstNode): boolean {
  if (node.type !== 'CallExpression' || nameOf(node['callee']) !== 'statSync') return false;
  const [, options] = node['arguments'] as AstNode[];
  const keys = (options?.['properties'] ?? []) as Array<AstNode & { readonly key: unknown }>;
  return keys.some(({ key }) => nameOf(key) === 'throwIfNoEntry');
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined;
}
