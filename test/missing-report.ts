import type { Reporter, TestModule } from 'vitest/node';

/** Tells at the end of a run which tests were skipped for want of what, in one table. */
export class MissingReport implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const table = missingTable(modules.flatMap((module) => [...skippedIn(module)]));
    if (table !== '') process.stdout.write(`\n${table}\n`);
  }
}

/** A test that was skipped, and what the machine lacks for it. */
export interface Skipped {
  readonly file: string;
  readonly lacks: readonly string[];
}

function* skippedIn(module: TestModule): Generator<Skipped> {
  for (const test of module.children.allTests('skipped')) {
    const { lacks } = test.meta();
    if (lacks !== undefined) yield { file: module.relativeModuleId, lacks };
  }
}

/** The table of what is missing: the number of tests and the files of each. Empty when nothing is. */
export function missingTable(skipped: readonly Skipped[]): string {
  const rows = new Map<string, string[]>();
  for (const { file, lacks } of skipped) {
    const lack = lacks.join(', ');
    rows.set(lack, [...(rows.get(lack) ?? []), file.replace(/^test\/|\.test\.ts$/g, '')]);
  }
  if (rows.size === 0) return '';
  const width = Math.max(...[...rows.keys()].map((lack) => lack.length));
  const lines = [...rows]
    .toSorted(([a, ones], [b, others]) => others.length - ones.length || a.localeCompare(b, 'en'))
    .map(([lack, files]) => `  ${lack.padEnd(width)}  ${String(files.length).padStart(4)}  ${listed(files)}`);
  return [`${skipped.length} tests were skipped for want of`, ...lines].join('\n');
}

/** The files, each once: the first ones by name. */
function listed(files: readonly string[]): string {
  const all = [...new Set(files)].toSorted();
  const shown = all.slice(0, 3).join(', ');
  return all.length > 3 ? `${shown} and ${all.length - 3} more files` : shown;
}
