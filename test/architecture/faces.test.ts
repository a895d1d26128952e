import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { homesOf, isFace } from '../../faces.mjs';
import { filesBelow, readText } from './source.ts';

/** Files as they are written, with their imports from faces. */
const files = filesBelow('src', /\.ts$/).map((file) => ({ path: file, text: readText(file) }));
const roomOf = (file: string): string => file.split('/')[1] ?? '';
const isInRoom = (file: string): boolean => /^src\/[^/]+\//.test(file);
const faces = files.filter(({ path: file }) => isFace(file));

/** Imports from one room of another one, but for `import()`. */
const crossing = files.flatMap(({ path: from, text }) =>
  [...text.matchAll(/^(?:import|export|\}) .*from '(\.[^']+)';/gm)].flatMap(([, specifier = '']) => {
    const target = path.posix.join(path.posix.dirname(from), specifier);
    return isInRoom(target) && roomOf(target) !== roomOf(from) ? [{ from, target }] : [];
  }),
);

describe('the face of a room', () => {
  it('is all that other rooms import of it, but for parts that they load late', () => {
    const wrong = crossing.filter(({ target }) => !isFace(target) && target !== 'src/server/index.ts');
    expect(wrong.map(({ from, target }) => `${from} imports ${target}`)).toEqual([]);
  });

  it('has re-exports only, each of a name that the file has', () => {
    const wrong = faces.filter(({ text }) =>
      text
        .replaceAll(/\/\*\*[^]*?\*\//g, '')
        .replaceAll(/^export( type)? \{[^}]*\} from '\.\/[^']*';$/gm, '')
        .match(/\S| as /),
    );
    expect(wrong.map(({ path: file }) => file)).toEqual([]);
  });

  it.each(faces.map(({ path: file }) => file))('%s shows nothing that no other room imports', (face) => {
    const room = roomOf(face);
    const others = files.filter(({ path: file }) => roomOf(file) !== room || !isInRoom(file));
    const used = new Set(others.flatMap((file) => namesFrom(file, face)));
    expect([...homesOf(face).keys()].filter((name) => !used.has(name))).toEqual([]);
  });
});

/** The names that a file imports from a face. */
function namesFrom({ path: file, text }: (typeof files)[number], face: string): string[] {
  return [...text.matchAll(/^(?:import|export)(?: type)? \{([^}]+)\} from '([^']+)';/gm)].flatMap(([, list, target]) =>
    path.posix.join(path.posix.dirname(file), target ?? '') === face
      ? (list ?? '').split(',').map((name) =>
          name
            .trim()
            .replace(/^type /, '')
            .replace(/ as .*/, ''),
        )
      : [],
  );
}
