import { expect, it } from 'vitest';
import { missingTable } from './missing-report.ts';

it('the table of what is missing has a line for each want', () => {
  const disk = { file: 'test/chaos/disk.test.ts', lacks: ['mounts for all'] };
  const zsh = { file: 'test/cli/completion-shells.test.ts', lacks: ['terminals', 'program zsh'] };
  const others = ['a', 'b', 'c'].map((name) => ({ ...disk, file: `test/cli/${name}.test.ts` }));
  expect(missingTable([zsh, disk, disk, ...others]).split('\n')).toEqual([
    '6 tests were skipped for want of',
    '  mounts for all             5  chaos/disk, cli/a, cli/b and 1 more files',
    '  terminals, program zsh     1  cli/completion-shells',
  ]);
  expect(missingTable([])).toBe('');
});
