import { expect, it } from 'vitest';
import { startFailed } from '../../src/runtime/start/start-errors.ts';

// The root of a container in the store.
const inStore = '/state/pods/default/web/layers/main/0/root';

it.each([
  ['exec: "x": executable file not found in $PATH', 'exec: "x": executable file not found in $PATH'],
  [
    `mount: ${inStore}/etc/passwd: mount point is not a directory.\n` +
      '       dmesg(1) may have more information after failed mount system call.\n',
    'mount /etc/passwd: mount point is not a directory',
  ],
  ['mount: /a: unknown filesystem\nmount: /b: the same', 'mount /a: unknown filesystem; mount: /b: the same'],
])('a failed start says what exec or mount said, and nothing else: %s', (said, want) => {
  expect(startFailed(said)).toBe(want);
});
