// Builds dist/. Runs on `npm ci` (through `prepare`), on `npm run build` and before the tests.
//
// podrun.cjs           the program: one file without runtime dependencies
// podrun.cjs.*.apply   the code that V8 compiled for an `apply`
// podrun.cjs.*.first   the same for a `get` (bin/podrun.js reads all three)
// network-helper.cjs   the process that podrun starts in private networks
// image-puller.cjs     the process that pulls images
// server.cjs           the program of `podrun serve`, and the API of Kubernetes for the other two, with its code too
// etcd.cjs             the etcd of envtest, which listens before it loads the server
// clusters.cjs         the client of clusters, which only `podrun apply --context` loads
// library/             the same code for `import { run } from 'podrun'`, in modules that load when they are needed
// descriptions.json    Kubernetes' descriptions of its fields, for `podrun explain`
// types/               the declarations of the library, for editors and tsc

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, transform } from 'esbuild';
import { copyCodeCaches } from './code-caches.mjs';
import { faces, throughFaces } from './faces.mjs';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const PODRUN_VERSION = JSON.stringify(readJson('package.json').version);

/** Imports files as text, `./page.css?raw`: the parts of the pages that podrun writes. */
const rawText = {
  name: 'raw text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?raw$/ }, ({ path: id, resolveDir }) => ({
      path: path.join(resolveDir, id.replace('?raw', '')),
      namespace: 'raw',
    }));
    onLoad({ filter: /.*/, namespace: 'raw' }, async ({ path: file }) => {
      const loader = path.extname(file).slice(1);
      const source = readFileSync(file, 'utf8');
      if (loader === 'html') return { contents: source, loader: 'text' };
      const { code } = await transform(source, { loader, minify: true });
      return { contents: code.trim(), loader: 'text' };
    });
  },
};

/**
 * Leaves the server and the client of clusters out of the program: they are files beside it. The launcher in bin/
 * resolves the paths.
 */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /\/(server\/index|run-etcd|serve-suite)\.ts$/ }, () => ({
      path: '../dist/server.cjs',
      external: true,
    }));
    onResolve({ filter: /\/remote\/client\/index\.ts$/ }, () => ({ path: '../dist/clusters.cjs', external: true }));
  },
};

/** The server is the program of `podrun serve` as well, without the other commands: a start loads one file, not two. */
const serveAlone = {
  name: 'serve alone',
  setup({ onLoad }) {
    onLoad({ filter: /\/cli\/commands\.ts$/ }, () => ({
      contents: `
        import { register } from './verbs/serve.ts';
        export async function addCommands(program, own, run) {
          register(program.commandsGroup('Run:'), run);
        }
      `,
      loader: 'ts',
    }));
  },
};

const COMMON = {
  absWorkingDir: root,
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node20.19',
  // The CommonJS build of yaml, which esbuild would take, is larger and slower to load.
  alias: {
    yaml: path.join(root, 'node_modules/yaml/browser/index.js'),
    // Of a CommonJS package that is imported late, the library would get a default export alone.
    '@peculiar/x509': path.join(root, 'node_modules/@peculiar/x509/build/x509.es.js'),
  },
  // ws looks for these packages beside podrun, and does without them.
  define: { PODRUN_VERSION, 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
  tsconfigRaw: {},
  legalComments: 'none',
  minify: true,
  plugins: [rawText, faces],
};

/**
 * One file that is run as a script: by the launcher, in the single executable, or by Node.js. The first two cannot
 * import modules, so `import()` becomes `require()`.
 */
const SCRIPT = {
  ...COMMON,
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: {
    ...COMMON.define,
    NETWORK_HELPER: '"./network-helper.cjs"',
    IMAGE_PULLER: '"./image-puller.cjs"',
    'import.meta.filename': '__filename',
  },
};

const [program, library, helper, puller, server, etcd, clusters] = await Promise.all([
  build({ ...SCRIPT, entryPoints: ['src/cli/start.ts'], plugins: [rawText, apart, faces] }),
  build({
    ...COMMON,
    entryPoints: ['src/library/index.ts'],
    format: 'esm',
    splitting: true,
    outdir: path.join(dist, 'library'),
    // Stack traces keep the names of functions: users of the library read them.
    minifyIdentifiers: false,
    define: {
      ...COMMON.define,
      NETWORK_HELPER: '"../network-helper.cjs"',
      IMAGE_PULLER: '"../image-puller.cjs"',
      DESCRIPTIONS: '"../descriptions.json"',
    },
    // Some bundled packages call require().
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  }),
  build({ ...SCRIPT, entryPoints: ['src/network/linux/helper/start.ts'] }),
  build({ ...SCRIPT, entryPoints: ['src/images/puller/start.ts'] }),
  build({
    ...SCRIPT,
    stdin: {
      contents: `
        export * from './server/index.ts';
        export { runEtcd } from './envtest/etcd/run-etcd.ts';
        export { serveSuite } from './envtest/suite/serve-suite.ts';
        export const startServe = () => import('./cli/start.ts');
      `,
      resolveDir: path.join(root, 'src'),
      loader: 'ts',
    },
    plugins: [rawText, serveAlone, faces],
  }),
  build({ ...SCRIPT, entryPoints: ['src/envtest/etcd/start.ts'], plugins: [rawText, apart, faces] }),
  build({
    ...SCRIPT,
    entryPoints: ['src/remote/client/index.ts'],
    alias: { ...COMMON.alias, 'node-fetch': path.join(root, 'src/remote/client/node-fetch.mjs') },
  }),
]).catch(() => process.exit(1)); // esbuild has printed the errors

mkdirSync(dist, { recursive: true });
const text = asFunction(program.outputFiles[0].text);
replace(path.join(dist, 'podrun.cjs'), text);
for (const file of readdirSync(dist)) if (file !== 'podrun.cjs') rmSync(path.join(dist, file), { recursive: true });
for (const { path: file, contents } of library.outputFiles) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, contents);
}
writeFileSync(path.join(dist, 'network-helper.cjs'), helper.outputFiles[0].text);
writeFileSync(path.join(dist, 'image-puller.cjs'), puller.outputFiles[0].text);
writeFileSync(path.join(dist, 'clusters.cjs'), clusters.outputFiles[0].text);
replace(path.join(dist, 'server.cjs'), asFunction(server.outputFiles[0].text));
replace(path.join(dist, 'etcd.cjs'), asFunction(etcd.outputFiles[0].text));
copyCodeCaches(path.join(root, 'bin/podrun.js'), dist);
copyFileSync(path.join(root, 'src/api/schema/descriptions.json'), path.join(dist, 'descriptions.json'));
writeTypes();
const modules = [program, library, helper, puller, server, etcd, clusters].flatMap(({ metafile }) =>
  Object.keys(metafile.inputs),
);
writeFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), licencesOf(bundledPackages(modules)));

/** A function expression in Latin-1, which V8 keeps in one byte per character. The first line is its hash. */
function asFunction(code) {
  const ascii = code.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const hash = createHash('sha256').update(ascii).digest('hex').slice(0, 16);
  return `//${hash}\n(function(exports,require,module,__filename){${ascii}\n})`;
}

/**
 * Writes the declarations of the library and of the files that it imports. TypeScript makes declarations of every file;
 * the rest is dropped.
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
      const declarations = readFileSync(path.join(folder, `${file}.d.ts`), 'utf8');
      const own = throughFaces(declarations, `src/${file}.ts`).replaceAll(
        /(from ')(\.[^']+)\.ts'/g,
        (_, before, target) => {
          const found = path.posix.join(path.posix.dirname(file), target);
          if (!wanted.includes(found)) wanted.push(found);
          return `${before}${target}.js'`;
        },
      );
      const target = path.join(dist, 'types', `${file}.d.ts`);
      mkdirSync(path.dirname(target), { recursive: true });
      writeFileSync(target, own);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Replaces a file at once: a podrun that starts meanwhile reads the old file or the new one. */
function replace(file, contents) {
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}

/** The folders of the packages in dist/: their licences require a copy of their texts. */
function bundledPackages(inputs) {
  const folders = inputs.flatMap((file) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? []);
  return [...new Set(folders)].toSorted((a, b) => (a < b ? -1 : 1));
}

function licencesOf(folders) {
  const texts = folders.map((folder) => {
    const { name, version: packageVersion, license } = readJson(`${folder}/package.json`);
    const file = readdirSync(path.join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence text: it must not be bundled`);
    return `${name} ${packageVersion} (${license})\n\n${readFileSync(path.join(root, folder, file), 'utf8').trim()}\n`;
  });
  const head =
    'podrun contains code and texts of the following packages. The descriptions of fields in kubernetes-models and\n' +
    '@kubernetes-models are those of Kubernetes, Copyright The Kubernetes Authors (Apache-2.0).\n';
  const line = `\n${'-'.repeat(80)}\n\n`;
  return [head, readFileSync(path.join(root, 'src/api/schema/descriptions.licences'), 'utf8'), ...texts].join(line);
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}
