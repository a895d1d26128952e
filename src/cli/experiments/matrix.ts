import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeTree } from '../../remove-tree.ts';
import { plannedPods } from '../../engine/index.ts';
import { EXIT, usage } from '../../api/index.ts';
import { readFault } from '../../experiments/index.ts';
import { type Noticed, noticedIn } from '../../history/index.ts';
import type { RequestCount } from '../../lifecycle/index.ts';
import { renderRows, TABLE_LAYOUT, TabWriter } from '../../print/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import { loadFromFlags } from '../apply/manifest-input.ts';
import { listenForSignals } from '../base/signals.ts';
import type { Cli } from '../base/cli.ts';
import { durationFlag } from '../flags/duration-flag.ts';
import { applyInChild } from '../history/apply-in-child.ts';

/** The flags of `matrix`. */
export interface MatrixFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly inject: readonly string[];
  readonly seeds: number;
  readonly jobs: number;
  readonly for: string | undefined;
  readonly until: string | undefined;
  readonly timeout: string | undefined;
  readonly network: string | undefined;
  readonly runtime: string | undefined;
  readonly output: 'json' | undefined;
}

/** One run of the manifests. */
interface SeedRun extends Noticed {
  readonly seed: number;
  /** The exit code of `apply`. */
  readonly exitCode: number;
}

const HEADING = ['SEED', 'VERDICT', 'FAULTS', 'RESTARTS', 'READY AGAIN AFTER', 'LOST REQUESTS'];
/** Without --inject: one container, which the seed chooses, is killed at a time that the seed chooses. */
const DEFAULT_FAULT = 'kill';
const JOBS_MAX = 8;
/** Faults without a time come in the first 10 s. The rest is for the Pod, to be Ready again. */
const DEFAULT_FOR = '20s';

/**
 * Runs manifests once for each seed, each time with other faults, and prints what a user of them would have noticed.
 * Answers the exit code.
 * @param command the command of the user, which each run has when its Pods are ready
 */
export async function matrix(cli: Cli, flags: MatrixFlags, command: readonly string[] | undefined): Promise<number> {
  const faults = flags.inject.length === 0 ? [DEFAULT_FAULT] : flags.inject;
  for (const fault of faults) readFault(fault);
  check(flags, command);
  const held = command ?? sleepFor(flags.for ?? (await defaultFor(cli, flags)));
  const hasGoal = held !== undefined || flags.until !== undefined;
  const args = [
    ...applyArgs(flags),
    // A fault may end a container. The Pod has to be Ready again at the end.
    ...(hasGoal ? ['--allow-restarts'] : []),
    ...faults.flatMap((fault) => ['--inject', fault]),
  ];
  const table = new TabWriter(TABLE_LAYOUT);
  const isText = flags.output === undefined;
  const print = (rows: readonly (readonly string[])[]): void => {
    if (isText) cli.stdout.write(table.render(renderRows(rows)));
  };
  let isStopped = false;
  const signals = listenForSignals(cli, () => (isStopped = true));
  const runs: SeedRun[] = [];
  try {
    print([HEADING]);
    const tasks = Array.from({ length: flags.seeds }, (_, index) => async (): Promise<SeedRun | undefined> => {
      if (isStopped) return undefined;
      return runSeed(cli, index + 1, { args: [...args, '--count-requests'], command: held });
    });
    for (const result of begun(tasks, flags.jobs)) {
      const run = await result;
      if (run === undefined || (isStopped && run.exitCode >= EXIT.interrupted)) continue;
      runs.push(run);
      print([rowOf(run)]);
    }
  } finally {
    signals.close();
  }
  cli.stdout.write(isText ? summaryOf(runs, { args, command: held }) : recordOf(runs, faults));
  if (isStopped) return EXIT.interrupted;
  return runs.every(({ exitCode }) => exitCode === EXIT.ok) ? EXIT.ok : EXIT.failed;
}

function check({ seeds, jobs, for: lasting }: MatrixFlags, command: readonly string[] | undefined): void {
  if (seeds < 1) throw usage('--seeds must be at least 1');
  if (jobs < 1 || jobs > JOBS_MAX) throw usage(`--jobs must be from 1 to ${JOBS_MAX}`);
  if (lasting === undefined) return;
  if (command !== undefined) throw usage('--for cannot be used with -- COMMAND', 'The run lasts as long as COMMAND.');
  if (durationFlag('--for', lasting) <= 0) throw usage('--for must be longer than 0');
}

function applyArgs({ filename, recursive, namespace, until, timeout, network, runtime }: MatrixFlags): string[] {
  const given = { namespace, until, timeout, network, runtime };
  return [
    ...filename.flatMap((file) => ['-f', file]),
    ...(recursive ? ['-R'] : []),
    ...Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
  ];
}

/** The default of --for: none for Pods that end by themselves, and for runs that end by a goal. */
async function defaultFor(
  cli: Cli,
  { filename, recursive, namespace, until, timeout }: MatrixFlags,
): Promise<string | undefined> {
  if (until !== undefined || timeout !== undefined) return undefined;
  const flags = { ...APPLY_DEFAULTS, filename, recursive, namespace };
  // The runs tell of mistakes.
  const { objects } = await loadFromFlags(cli, flags, { hasNamespaces: true, hasPodNetwork: true });
  const endless = plannedPods(objects).find(({ kind, spec }) => {
    return kind === 'CronJob' || (spec.restartPolicy ?? 'Always') === 'Always';
  });
  if (endless === undefined) return undefined;
  const name = `${endless.kind.toLowerCase()}/${endless.name}`;
  cli.note(`each run lasts ${DEFAULT_FOR} after its Pods are ready (--for), since ${name} does not end by itself`);
  return DEFAULT_FOR;
}

/** The command that holds a run for a time after its Pods are ready. */
function sleepFor(lasting: string | undefined): readonly string[] | undefined {
  return lasting === undefined ? undefined : ['sleep', String(durationFlag('--for', lasting) / 1000)];
}

interface SeedCall {
  readonly args: readonly string[];
  readonly command: readonly string[] | undefined;
}

async function runSeed(cli: Cli, seed: number, { args, command }: SeedCall): Promise<SeedRun> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-matrix-'));
  try {
    const own = ['--state-dir', folder, '--quiet', '--seed', String(seed)];
    const call = { name: `seed ${seed}`, args: [...args, ...own], command, isShown: isReason };
    const { exitCode, runs } = await applyInChild(cli, call);
    if (exitCode === EXIT.usage && runs.length === 0) throw usage('no Pod began', 'The lines above say why.');
    return { seed, exitCode, ...noticedIn(runs.map(({ recorded }) => recorded)) };
  } finally {
    removeTree(folder);
  }
}

/** Advice leads to the record of the run, which does not stay. */
function isReason(line: string): boolean {
  return /^(error|Warning|Error from server)/.test(line);
}

/** Begins the tasks in their order, at most so many at once. Answers their results, in the same order. */
function begun<Result>(tasks: ReadonlyArray<() => Promise<Result>>, atOnce: number): Array<Promise<Result>> {
  const results: Array<Promise<Result>> = [];
  for (const [index, task] of tasks.entries()) {
    const before = results[index - atOnce];
    const result = before === undefined ? task() : before.then(task);
    // The loop over the results reports it.
    result.catch(() => undefined);
    results.push(result);
  }
  return results;
}

function rowOf({ seed, exitCode, faults, restarts, readyAgainMs, requests }: SeedRun): string[] {
  const again = readyAgainMs === undefined ? '-' : seconds(readyAgainMs);
  const lost = requests.length === 0 ? '-' : lostIn(requests);
  return [String(seed), verdict(exitCode), String(faults), String(restarts), again, lost];
}

function lostIn(requests: readonly RequestCount[]): string {
  const [lost, sent] = [requests.map((one) => one.lost), requests.map((one) => one.sent)].map(sum);
  return `${lost} of ${sent}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function verdict(exitCode: number): string {
  const names: Readonly<Record<number, string>> = {
    [EXIT.ok]: 'ok',
    [EXIT.failed]: 'failed',
    [EXIT.timeout]: 'timed out',
  };
  return names[exitCode] ?? `exit code ${exitCode}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)}s`;
}

function summaryOf(runs: readonly SeedRun[], { args, command }: SeedCall): string {
  if (runs.length === 0) return 'interrupted before the end of the first run\n';
  const counts = new Map<string, number>();
  for (const { exitCode } of runs) counts.set(verdict(exitCode), (counts.get(verdict(exitCode)) ?? 0) + 1);
  const verdicts = [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
  const again = runs.filter(({ readyAgainMs }) => readyAgainMs !== undefined);
  const [slowest] = again.toSorted((a, b) => (b.readyAgainMs ?? 0) - (a.readyAgainMs ?? 0));
  const requests = runs.flatMap((run) => run.requests);
  const behind = command === undefined ? [] : ['--', ...command];
  const failed = runs.find(({ exitCode }) => exitCode !== EXIT.ok);
  return [
    `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}: ${verdicts}`,
    ...(slowest
      ? [`longest time until Ready again: ${seconds(slowest.readyAgainMs ?? 0)} (seed ${slowest.seed})`]
      : []),
    ...(requests.length === 0 ? [] : [`requests lost: ${lostIn(requests)}`]),
    ...(failed
      ? [`again: podrun apply ${[...args, '--seed', String(failed.seed), ...behind].map(shellWord).join(' ')}`]
      : []),
    '',
  ].join('\n');
}

function recordOf(runs: readonly SeedRun[], inject: readonly string[]): string {
  const records = runs.map(({ readyAgainMs, ...run }) => ({
    ...run,
    ...(readyAgainMs !== undefined && { readyAgainSeconds: readyAgainMs / 1000 }),
  }));
  return `${JSON.stringify({ inject, runs: records }, undefined, 4)}\n`;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
