import { describe, expect, it } from 'vitest';
import { importsOf, sourcesBelow } from './source.ts';
import recorded from './start-up.json' with { type: 'json' };

/** The file with which a command begins, beside the start of the program. */
const BEGINS_IN: Readonly<Record<keyof typeof recorded, string>> = {
  '--version': 'src/cli/main.ts',
  get: 'src/cli/verbs/get.ts',
  describe: 'src/cli/verbs/describe.ts',
  logs: 'src/cli/verbs/logs.ts',
  validate: 'src/cli/verbs/validate.ts',
  apply: 'src/cli/verbs/apply.ts',
};
/** A command may need a few files more than on record before somebody looks at what it loads. */
const MORE_MAX = 1.03;
const LESS_MIN = 0.9;

const sources = new Map(sourcesBelow('src').map((file) => [file.path, file]));

/** The files and modules that a command loads before it begins: types and `import()` count for nothing. */
function loadedFor(first: string): { readonly files: number; readonly modules: readonly string[] } {
  const reached = new Set(['src/cli/start.ts', first]);
  const modules = new Set<string>();
  for (const file of reached) {
    const source = sources.get(file);
    if (source === undefined) continue;
    for (const { target, isLate, isType } of importsOf(source)) {
      if (isLate || isType) continue;
      if (sources.has(target)) reached.add(target);
      else if (!target.startsWith('src/')) modules.add(target);
    }
  }
  return { files: reached.size, modules: [...modules].toSorted() };
}

// A package that takes 30 ms to load is felt at each start: what starts is on record.
describe('before it begins, a command loads', () => {
  it.each(Object.entries(recorded))('%s: the modules on record, and no more files', (command, before) => {
    const now = loadedFor(BEGINS_IN[command as keyof typeof recorded]);
    expect(now.modules).toEqual(before.modules);
    expect(now.files).toBeLessThanOrEqual(before.files * MORE_MAX);
    expect(now.files, 'lower it in test/architecture/start-up.json').toBeGreaterThanOrEqual(before.files * LESS_MIN);
  });
});
