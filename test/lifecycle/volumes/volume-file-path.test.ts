import { posix } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanPath, filePathProblem } from '../../../src/lifecycle/volumes/volume-file-path.ts';

const parts = fc.array(fc.constantFrom('', '.', '..', 'a', '..b', 'c.d'), { minLength: 1, maxLength: 8 });

it('cleans relative paths as everybody does', () => {
  const relative = parts.map((names) => names.join('/')).filter((path) => !path.startsWith('/'));
  fc.assert(
    fc.property(relative, (path) => {
      expect(cleanPath(path)).toBe(posix.join(path).replace(/(?<=.)\/$/, ''));
    }),
  );
});

it('lets no path out of the volume, nor into the names of the atomic writer', () => {
  fc.assert(
    fc.property(
      parts.map((names) => names.join('/')),
      (path) => {
        if (filePathProblem(path) !== undefined) return;
        const place = posix.resolve('/volume', cleanPath(path));
        expect(place).toMatch(/^\/volume(\/(?!\.\.)|$)/);
      },
    ),
  );
});

it.each([
  ['', 'invalid path: must not be empty: ""'],
  ['/etc/passwd', 'invalid path: must be relative path: /etc/passwd'],
  ['a/../../b', "invalid path: must not contain '..': a/../../b"],
  ['..', "invalid path: must not contain '..': .."],
  ['..data', "invalid path: must not start with '..': ..data"],
  ['./..data', "invalid path: must not start with '..': ./..data"],
  ['a/..b', undefined],
  ['x'.repeat(255), undefined],
  ['ü'.repeat(128), 'invalid path: filenames must be less than or equal to 255 characters'],
  ['a/'.repeat(2048) + 'b', 'invalid path: must be less than or equal to 4096 characters'],
  ['a\0b', 'invalid path: must not contain NUL: "a\\x00b"'],
])('judges %j', (path, problem) => {
  expect(filePathProblem(path)).toBe(problem);
});
