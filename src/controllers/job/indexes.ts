/**
 * Sets of completion indexes as text: `0,2-4,7`. Two neighbours are `3,4`, three are `3-5`.
 * Source: pkg/controller/job/indexed_job_utils.go.
 */

/** Parses a text of indexes. Indexes from `completions` on are left out: the Job has become smaller. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of text ? text.split(',') : []) {
    const [first = 0, last = first] = part.split('-').map(Number);
    for (let index = first; index <= Math.min(last, completions - 1); index += 1) indexes.add(index);
  }
  return indexes;
}

export function formatIndexes(indexes: ReadonlySet<number>): string {
  const runs: { first: number; last: number }[] = [];
  for (const index of [...indexes].toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && run.last === index - 1) run.last = index;
    else runs.push({ first: index, last: index });
  }
  return runs.map(formatRun).join(',');
}

function formatRun({ first, last }: { readonly first: number; readonly last: number }): string {
  if (first === last) return String(first);
  return `${first}${last - first === 1 ? ',' : '-'}${last}`;
}
