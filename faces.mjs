// The face of a room is its src/ROOM/index.ts: what other rooms may import of it, and nothing else. What is built reads
// through faces: who imports one name loads the file that has it, not all files of the room. A command would start half
// as slow again otherwise.

import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = import.meta.dirname;
/** The library is for programs outside, and the server is a file of its own: both are loaded whole. */
const FACE = /^src\/(?!library\/|server\/)[^/]+\/index\.ts$/;
/** A folder within a room may have a face of its own, for the files beside the folder. */
const INNER_FACE = /^src\/(?!server\/).+\/index\.ts$/;
/** An import or a re-export of names, as the formatter writes it. */
const NAMED = /^(import|export)( type)? \{([^}]+)\} from '(\.[^']+)';/gm;

/** @param {string} file a path from the root of the checkout, with slashes */
export function isFace(file) {
  return FACE.test(file);
}

/**
 * The text of a file with direct imports in place of those from faces. Its lines keep their numbers.
 *
 * @param {string} text
 * @param {string} file its path from the root of the checkout, with slashes
 */
export function throughFaces(text, file) {
  return text.replaceAll(NAMED, (statement, verb, type, list, specifier) => {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    if (!isFace(target) && !isInnerFace(target)) return statement;
    const direct = namesOf(list).map((name) => {
      const home = path.posix.relative(path.posix.dirname(file), homeOf(target, exportedName(name)));
      return `${verb}${type ?? ''} { ${name} } from '${home.startsWith('.') ? home : `./${home}`}';`;
    });
    return direct.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
  });
}

/**
 * The files of the names that a face shows.
 *
 * @param {string} face
 * @returns {Map<string, string>} paths from the root of the checkout
 */
export function homesOf(face) {
  const statements = readFileSync(path.join(root, face), 'utf8').matchAll(NAMED);
  return new Map(
    [...statements].flatMap(([, , , list, specifier]) =>
      namesOf(list).map((name) => [exportedName(name), path.posix.join(path.posix.dirname(face), specifier)]),
    ),
  );
}

/** For esbuild: reads sources through faces. Resolves what other plugins leave. */
export const faces = {
  name: 'faces',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const source = path.relative(root, file).replaceAll(path.sep, '/');
      return { contents: throughFaces(readFileSync(file, 'utf8'), source), loader: 'ts' };
    });
  },
};

const known = new Map();

function homeOf(face, name) {
  if (!known.has(face)) known.set(face, homesOf(face));
  const home = known.get(face).get(name);
  if (home === undefined) throw new Error(`${face} does not export ${name}`);
  return isInnerFace(home) ? homeOf(home, name) : home;
}

/** True for a file of re-exports and comments, without code. */
function isInnerFace(file) {
  if (!INNER_FACE.test(file)) return false;
  const rest = readFileSync(path.join(root, file), 'utf8')
    .replaceAll(NAMED, (statement, verb) => (verb === 'export' ? '' : statement))
    .replaceAll(/\/\*[^]*?\*\/|^\/\/.*/gm, '');
  return rest.trim() === '';
}

function namesOf(list) {
  return list.split(',').flatMap((name) => name.trim() || []);
}

/** Of `type Name as Other`: `Name`. */
function exportedName(name) {
  return name.replace(/^type /, '').replace(/ as .*/, '');
}
