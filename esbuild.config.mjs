// Builds dist/. Runs on `npm ci` (through `prepare`), on `npm run build` and before the tests.
//
// podrun.cjs  the program without runtime dependencies, in one file, and beside it what V8 makes of it, so that a start
//             need not compile anything
// library/    the same code for `import { run } from 'podrun'`, in pieces that are loaded when they are needed
// types/      what an editor and tsc know of the library: nothing but what its functions take and answer

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, transform } from 'esbuild';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const { version } = readJson('package.json');

const WARM_UP_POD = `
apiVersion: v1
kind: Pod
metadata: { name: warm-up }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: ['true'], env: [{ name: A, value: b }] }]
`;

/** Called with the program, the file for the cache, and command lines as JSON, which are run one after the other. */
const WARM_UP = `
  const [fs, vm, path] = ['fs', 'vm', 'path'].map((name) => require('node:' + name));
  const [node, program, made, uses] = process.argv;
  // The same source text as in bin/podrun.js, or the cache would not fit.
  const text = fs.readFileSync(program, 'latin1');
  const source = '(function(exports,require,module,__filename,__dirname){' + text + '\\n})';
  const script = new vm.Script(source, { filename: program });
  const left = JSON.parse(uses);
  const exit = process.exit.bind(process);
  const next = () => {
    const args = left.shift();
    if (args === undefined) {
      fs.writeFileSync(made, script.createCachedData());
      exit(0);
    }
    process.argv = [node, program, ...args];
    script.runInThisContext()({}, require, {}, program, path.dirname(program));
  };
  // A command that has ended makes room for the next one.
  process.exit = next;
  next();
`;

/** Files that become part of the program as text, `./page.css?raw`: those of the pages that it writes. */
const rawText = {
  name: 'raw text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?raw$/ }, ({ path: file, resolveDir }) => {
      return { path: path.join(resolveDir, file.replace('?raw', '')), namespace: 'raw' };
    });
    onLoad({ filter: /./, namespace: 'raw' }, async ({ path: file }) => {
      const loader = path.extname(file).slice(1);
      const { code } = await transform(readFileSync(file, 'utf8'), { loader, minify: true });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

const COMMON = {
  absWorkingDir: root,
  write: false,
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20.19',
  // The default build of yaml is CommonJS: larger, and slower to load.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  plugins: [rawText],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};
const built = [
  build({
    ...COMMON,
    entryPoints: { podrun: 'src/cli/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // Node's own modules come at once, and without a loader of modules.
    supported: { 'dynamic-import': false },
    define: { PODRUN_VERSION: JSON.stringify(version), 'import.meta.filename': '__filename' },
  }),
  build({
    ...COMMON,
    entryPoints: { index: 'src/library/index.ts' },
    outdir: 'dist/library',
    format: 'esm',
    splitting: true,
    define: { PODRUN_VERSION: JSON.stringify(version) },
    // Names in stack traces are for those whose tests run Pods.
    minify: false,
    minifyWhitespace: true,
    minifySyntax: true,
    // Of packages that are CommonJS.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module';const require = requireFrom(import.meta.url);",
    },
  }),
];
// esbuild has said why
const [{ metafile, outputFiles }, library] = await Promise.all(built).catch(() => process.exit(1));

mkdirSync(dist, { recursive: true });
const program = path.join(dist, 'podrun.cjs');
const cache = `${program}.${process.version}-${process.arch}.cache`;
// V8 knows a program by its length alone: an old cache must be gone before a new program is there.
for (const file of readdirSync(dist)) if (file !== 'podrun.cjs') rmSync(path.join(dist, file), { recursive: true });
replace(program, outputFiles[0].contents);
for (const { path: file, contents } of library.outputFiles) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
writeTypes();
const bundled = bundledPackages({ ...metafile.inputs, ...library.metafile.inputs });
writeFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), licencesOf(bundled));
const compiled = compiledByUse();
if (compiled !== undefined) replace(cache, compiled);

/**
 * Runs a small Pod with the new program, in a process and a folder of its own, and answers what V8 had compiled by
 * then: with the functions that a start calls, not only the outline of the file. Undefined where that cannot be: such
 * a podrun works as well, and starts slower.
 */
function compiledByUse() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-build-'));
  const manifest = path.join(folder, 'pod.yaml');
  const made = path.join(folder, 'cache');
  const flags = ['--state-dir', path.join(folder, 'state')];
  writeFileSync(manifest, WARM_UP_POD);
  try {
    const uses = [
      ['apply', manifest, ...flags],
      ['get', ...flags],
    ];
    const warmUp = ['-e', WARM_UP, program, made, JSON.stringify(uses)];
    execFileSync(process.execPath, warmUp, { stdio: 'ignore', cwd: folder });
    return readFileSync(made);
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writes the declarations of the library and of what they mention, and of nothing else. TypeScript makes them of every
 * file; those that its own lead to are taken.
 */
function writeTypes() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-types-'));
  const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
  const flags = ['--noEmit', 'false', '--emitDeclarationOnly', '--noCheck', '--stripInternal', '--outDir', folder];
  try {
    execFileSync(process.execPath, [compiler, '-p', path.join(root, 'tsconfig.library.json'), ...flags], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const wanted = ['library/index'];
    for (const file of wanted) {
      const text = readFileSync(path.join(folder, `${file}.d.ts`), 'utf8');
      const own = text.replaceAll(/(from ')(\.[^']+)\.ts'/g, (_, before, target) => {
        const found = path.posix.join(path.posix.dirname(file), target);
        if (!wanted.includes(found)) wanted.push(found);
        return `${before}${target}.js'`;
      });
      const target = path.join(dist, 'types', `${file}.d.ts`);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, own);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whoever starts podrun meanwhile gets the old file or the new one, whole. */
function replace(file, contents) {
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}

/** Folders of the packages whose code is in the bundle: their licences ask for their texts to travel along. */
function bundledPackages(inputs) {
  const folders = Object.keys(inputs).flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)].toSorted();
}

function licencesOf(folders) {
  const texts = folders.map((folder) => {
    const { name, version: packageVersion, license } = readJson(`${folder}/package.json`);
    const file = readdirSync(path.join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence text: it must not be bundled`);
    return `${name} ${packageVersion} (${license})\n\n${readFileSync(path.join(root, folder, file), 'utf8').trim()}\n`;
  });
  return [`podrun contains code of the following packages.\n`, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}
