// Builds podrun with a tracer: each function of src that is entered is recorded. The build lies in a folder of its own,
// never in dist/.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { parseAst } from 'vitest/node';
import { throughFaces } from '../../faces.mjs';

const root = path.join(import.meta.dirname, '../..');
const dist = path.join(root, 'dist');

/** Generated files hold data: they are not traced. */
const GENERATED = /^src\/api\/generated\//;

/**
 * Builds the traced program.
 *
 * @param {string} outfile the program
 * @returns {Promise<string[]>} the file of each function, by the number that the program records
 */
export async function buildTraced(outfile) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const files = [];
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/start.ts'],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    define: {
      PODRUN_VERSION: JSON.stringify(version),
      NETWORK_HELPER: JSON.stringify(path.join(dist, 'network-helper.cjs')),
      IMAGE_PULLER: JSON.stringify(path.join(dist, 'image-puller.cjs')),
      'import.meta.filename': '__filename',
    },
    // The client of clusters takes part in no trip.
    external: ['*/remote/client/index.ts'],
    plugins: [rawText, tracer(files)],
    banner: { js: `require(${JSON.stringify(path.join(import.meta.dirname, 'recorder.cjs'))});` },
    logLevel: 'error',
  });
  return files;
}

/** The parts of pages that podrun writes, as in build.mjs, but as they are. */
const rawText = {
  name: 'raw text',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?raw$/ }, ({ path: id, resolveDir }) => ({
      path: path.join(resolveDir, id.replace('?raw', '')),
      namespace: 'raw',
    }));
    onLoad({ filter: /.*/, namespace: 'raw' }, ({ path: file }) => ({
      contents: readFileSync(file, 'utf8'),
      loader: 'text',
    }));
  },
};

/** Puts a call of the recorder at the beginning of each function of src. Adds the file of each to `files`. */
function tracer(files) {
  return {
    name: 'tracer',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
        const source = path.relative(root, file).replaceAll(path.sep, '/');
        if (!source.startsWith('src/') || GENERATED.test(source)) return undefined;
        const text = throughFaces(readFileSync(file, 'utf8'), source);
        return { contents: withCalls(text, () => files.push(source) - 1), loader: 'ts' };
      });
    },
  };
}

/** @param {() => number} next the number of the next function */
function withCalls(text, next) {
  const pieces = [];
  const visit = (value) => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value !== 'object' || value === null || typeof value.type !== 'string') return;
    if (isFunction(value)) {
      const { type, start, end } = value.body;
      const call = `recordCall(${next()})`;
      if (type === 'BlockStatement' || type === 'FunctionBody') pieces.push({ at: start + 1, text: `${call};` });
      else pieces.push({ at: start, text: `(${call}, ` }, { at: end, text: ')' });
    }
    Object.values(value).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));
  let traced = '';
  let from = 0;
  for (const piece of pieces.toSorted((a, b) => a.at - b.at)) {
    traced += text.slice(from, piece.at) + piece.text;
    from = piece.at;
  }
  return traced + text.slice(from);
}

function isFunction({ type, body }) {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) && Boolean(body);
}
