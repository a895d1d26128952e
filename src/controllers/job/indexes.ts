/** Neighbouring indexes: from the first to the last one. */
interface IndexRun {
  readonly first: number;
  readonly last: number;
}

/**
 * A set of completion indexes. It has their runs in order: `0-999999999` is one, and takes no more time than `0`.
 * As text: `0,2-4,7`. Two neighbours are `3,4`, three are `3-5`. Source: pkg/controller/job/indexed_job_utils.go.
 */
export class IndexSet {
  readonly #runs: readonly IndexRun[];

  private constructor(runs: readonly IndexRun[]) {
    this.#runs = runs;
  }

  /** Parses a text of indexes. Indexes from `completions` on are left out: the Job has become smaller. */
  static parse(text: string | undefined, completions: number): IndexSet {
    const runs = (text ? text.split(',') : []).map((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return { first, last: Math.min(last, completions - 1) };
    });
    return new IndexSet(joinedRuns(runs));
  }

  get size(): number {
    return this.#runs.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  has(index: number): boolean {
    return this.#runOf(index) !== undefined;
  }

  /** The set with more indexes. */
  with(indexes: readonly number[]): IndexSet {
    if (indexes.length === 0) return this;
    return new IndexSet(joinedRuns([...this.#runs, ...indexes.map((index) => ({ first: index, last: index }))]));
  }

  /** The first index from this one on that is not in the set. */
  firstWithout(index: number): number {
    const run = this.#runOf(index);
    return run === undefined ? index : run.last + 1;
  }

  /** The number of indexes that are in both sets. */
  countIn(other: IndexSet): number {
    let [count, mine, theirs] = [0, 0, 0];
    for (;;) {
      const [one, two] = [this.#runs[mine], other.#runs[theirs]];
      if (one === undefined || two === undefined) return count;
      count += Math.max(0, Math.min(one.last, two.last) - Math.max(one.first, two.first) + 1);
      if (one.last < two.last) mine += 1;
      else theirs += 1;
    }
  }

  toString(): string {
    return this.#runs.map(formatRun).join(',');
  }

  #runOf(index: number): IndexRun | undefined {
    let [low, high] = [0, this.#runs.length];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#runs[middle]?.last ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    const run = this.#runs[low];
    return run !== undefined && run.first <= index ? run : undefined;
  }
}

/** The runs in order, with those joined that meet. Empty ones and texts that are no numbers are left out. */
function joinedRuns(runs: readonly IndexRun[]): IndexRun[] {
  const joined: IndexRun[] = [];
  for (const run of runs.filter(({ first, last }) => first <= last).toSorted((a, b) => a.first - b.first)) {
    const previous = joined.at(-1);
    if (previous === undefined || previous.last < run.first - 1) joined.push(run);
    else joined[joined.length - 1] = { first: previous.first, last: Math.max(previous.last, run.last) };
  }
  return joined;
}

function formatRun({ first, last }: IndexRun): string {
  if (first === last) return String(first);
  return `${first}${last - first === 1 ? ',' : '-'}${last}`;
}
