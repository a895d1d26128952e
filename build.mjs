// Builds dist/. Runs on `npm ci` (through `prepare`), on `npm run build` and before the tests.
//
// podrun.packs  the program, without runtime dependencies, and what V8 makes of it: a start need not compile anything
// library/      the same code for `import { run } from 'podrun'`, in pieces that are loaded when they are needed
// types/        what an editor and tsc know of the library: nothing but what its functions take and answer

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transform } from 'esbuild';
import { rolldown } from 'rolldown';
import { packed } from './build.packs.mjs';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const launcher = path.join(root, 'bin/podrun.js');
const PODRUN_VERSION = JSON.stringify(readJson('package.json').version);
const TARGET = 'node20.19';

/** Files that become part of the program as text, `./page.css?raw`: those of the pages that it writes. */
const rawText = {
  name: 'raw text',
  resolveId: (id, importer) => (id.endsWith('?raw') ? path.join(path.dirname(importer), id) : undefined),
  async load(id) {
    if (!id.endsWith('?raw')) return undefined;
    const file = id.replace('?raw', '');
    const { code } = await transform(readFileSync(file, 'utf8'), { loader: path.extname(file).slice(1), minify: true });
    return { code: `export default ${JSON.stringify(code.trim())}`, moduleType: 'js' };
  },
};

/** commander can start programs as commands. podrun has none, and to load what starts them takes 4 ms. */
const noPrograms = {
  name: 'no programs as commands',
  resolveId: (id, importer = '') =>
    id === 'node:child_process' && importer.includes('/commander/') ? '\0no-programs' : undefined,
  load: (id) => (id === '\0no-programs' ? 'export {};' : undefined),
};

const COMMON = {
  cwd: root,
  platform: 'node',
  // The default build of yaml is CommonJS: larger, and slower to load.
  resolve: { alias: { yaml: path.join(root, 'node_modules/yaml/browser/index.js') } },
  tsconfig: false,
  onLog: (level, log, tell) => {
    // Modules that are there already where somebody would load them later: nothing is wrong with that.
    if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') tell(level, log);
  },
};
const PROGRAM = {
  ...COMMON,
  input: { podrun: 'src/cli/main.ts' },
  plugins: [rawText, noPrograms],
  // The modules of a pack are evaluated together: none but the program itself does anything when it is.
  treeshake: { moduleSideEffects: (id) => id.endsWith('/src/cli/main.ts') },
  transform: { target: TARGET, define: { PODRUN_VERSION, 'import.meta.filename': '__filename' } },
};
const LIBRARY = {
  ...COMMON,
  input: { index: 'src/library/index.ts' },
  plugins: [rawText],
  transform: { target: TARGET, define: { PODRUN_VERSION } },
};

// rolldown has said why
const [program, library] = await Promise.all([packed(PROGRAM, launcher), libraryChunks()]).catch(() => process.exit(1));

mkdirSync(dist, { recursive: true });
for (const file of readdirSync(dist)) if (file !== 'podrun.packs') rmSync(path.join(dist, file), { recursive: true });
replace(path.join(dist, 'podrun.packs'), program.file);
mkdirSync(path.join(dist, 'library'));
for (const { fileName, code } of library) writeFileSync(path.join(dist, 'library', fileName), code);
writeTypes();
const modules = [...program.modules, ...library.flatMap(({ moduleIds }) => moduleIds)];
writeFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), licencesOf(bundledPackages(modules)));

/** The library's modules. Names in stack traces are for those whose tests run Pods. */
async function libraryChunks() {
  const bundle = await rolldown(LIBRARY);
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
  const { output } = await bundle.generate({ format: 'esm', minify, comments: { legal: false } });
  await bundle.close();
  return output;
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

/** Folders of the packages whose code is in the bundles: their licences ask for their texts to travel along. */
function bundledPackages(moduleIds) {
  const folders = moduleIds.flatMap((id) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.relative(root, id)) ?? []);
  return [...new Set(folders)].toSorted((a, b) => (a < b ? -1 : 1));
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
