import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { PODS } from './pods.ts';
import { Search, type SeedSearch } from './search.ts';
import { VERDICTS } from './verdicts/verdicts.ts';
import { WORKLOADS } from './workloads/workloads.ts';

const USAGE = `usage: npm run simulate -- [pods|workloads|verdicts] [--seeds N] [--seed N] [--path P] [--jobs N]

  pods       random Pods; this is the default
  workloads  random Deployments, StatefulSets, Jobs, …, and agents that die
  verdicts   random objects with random goals: exit code 0 only if all is well
  --seeds    how many (1e6 Pods are a night); default: 10000, or 1 with --seed
  --seed     the first one; default: another one each time
  --path     with --seed: straight to what was shrunk
  --jobs     how many at a time; default: one for each processor`;

/** The number of seeds that a worker gets at a time. */
const CHUNK = 100;
const PROGRESS_MS = 5000;

const SEARCHES: ReadonlyMap<string, SeedSearch> = new Map<string, SeedSearch>([
  [PODS.name, new Search(PODS)],
  [WORKLOADS.name, new Search(WORKLOADS)],
  [VERDICTS.name, new Search(VERDICTS)],
]);

interface Request {
  /** The name of a search. */
  readonly of: string;
  readonly from: number;
  readonly count: number;
  readonly path: string | undefined;
}

interface Answer {
  readonly failures: readonly { readonly invariant: string; readonly report: string }[];
}

/** The kinds of failures for which this worker has an example. */
const shrunk = new Set<string>();

/** Failures of one invariant are one kind. */
function kindOf(error: Error): string {
  return error.message.split(':')[0] ?? '';
}

async function answer({ of, from, count, path }: Request): Promise<void> {
  const failures = [];
  const isKnown = (error: Error): boolean => shrunk.has(kindOf(error));
  for (let seed = from; seed < from + count; seed++) {
    const failure = await SEARCHES.get(of)?.trySeed(seed, { path, isKnown });
    if (failure === undefined) continue;
    const invariant = kindOf(failure.error);
    shrunk.add(invariant);
    failures.push({ invariant, report: failure.report });
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
  parentPort!.postMessage({ failures } satisfies Answer);
}

async function main(): Promise<void> {
  const { of, seed, seeds, path, jobs } = readFlags();
  const first = seed ?? Date.now() % 2 ** 31;
  const count = seeds ?? (seed === undefined ? 10_000 : 1);
  console.log(`${of}: ${count} seeds from ${first} on`);
  const failed = await search({ of, first, count, path, jobs: jobs ?? availableParallelism() });
  if (failed > 0) process.exitCode = 1;
}

async function search(all: Omit<Request, 'from'> & { first: number; jobs: number }): Promise<number> {
  const { of, first, count, path, jobs } = all;
  const startedMs = Date.now();
  const counts = new Map<string, number>();
  let given = 0;
  let done = 0;
  const progress = (): void => {
    const perSecond = Math.round((done * 1000) / Math.max(1, Date.now() - startedMs));
    const failures = [...counts].map(([invariant, times]) => `${invariant} ${times}`).join(', ');
    console.log(`${done} of ${count} seeds, ${perSecond} a second, ${failures === '' ? 'all well' : failures}`);
  };
  const timer = setInterval(progress, PROGRESS_MS);
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL(import.meta.url));
    while (given < count) {
      const request: Request = { of, from: first + given, count: Math.min(CHUNK, count - given), path };
      given += request.count;
      const { failures } = await ask(worker, request);
      done += request.count;
      for (const { invariant, report } of failures) {
        // The first failure of each kind is enough.
        if (!counts.has(invariant)) console.log(`\n${report}\n`);
        counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
      }
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, Math.ceil(count / CHUNK)) }, work));
  clearInterval(timer);
  progress();
  return counts.size;
}

function ask(worker: Worker, request: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    worker.once('message', (answer: Answer) => {
      worker.removeListener('error', reject);
      resolve(answer);
    });
    worker.once('error', reject);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    worker.postMessage(request);
  });
}

interface Flags {
  readonly of: string;
  readonly seed: number | undefined;
  readonly seeds: number | undefined;
  readonly jobs: number | undefined;
  readonly path: string | undefined;
}

function readFlags(): Flags {
  const text = { type: 'string' } as const;
  try {
    const { values, positionals } = parseArgs({
      options: { seed: text, seeds: text, jobs: text, path: text },
      allowPositionals: true,
    });
    const [of = PODS.name] = positionals;
    if (!SEARCHES.has(of) || positionals.length > 1) throw new Error(`not known: ${positionals.join(' ')}`);
    const { path } = values;
    if (path !== undefined && values.seed === undefined) throw new Error('--path needs --seed');
    return { of, seed: whole(values.seed, 0), seeds: whole(values.seeds, 1), jobs: whole(values.jobs, 1), path };
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return process.exit(2);
  }
}

function whole(text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < least) throw new Error(`not a number from ${least} on: ${text}`);
  return value;
}

if (isMainThread) await main();
else parentPort!.on('message', (request: Request) => void answer(request));
