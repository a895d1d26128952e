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
import { durationFlag } from '../flags/options.ts';
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
  readonly nodes?: number;
  readonly zones?: number;
  readonly speed: string | undefined;
  readonly output: 'json' | undefined;
}

/** One run of the manifests. */
interface SeedRun extends Noticed {
  readonly seed: number;
  /** The exit code of `apply`. */
  readonly exitCode: number;
  /** The nodes with faults, one for each fault. Undefined: no fault is one of nodes. */
  readonly nodesLost: readonly string[] | undefined;
}

const HEADING = ['SEED', 'VERDICT', 'FAULTS', 'RESTARTS', 'READY AGAIN AFTER', 'LOST REQUESTS'];
const NODES_HEADING = 'NODES LOST';
/** Without --inject: one container, which the seed chooses, is killed at a time that the seed chooses. */
const DEFAULT_FAULT = 'kill';
const NO_FAULT = 'no fault';
const JOBS_MAX = 8;
/** Faults without a time come in the first 10 s. The rest is for the Pod, to be Ready again. */
const DEFAULT_FOR = '20s';

/**
 * Runs manifests once for each seed, each time with other faults, and prints what a user of them would have noticed.
 * Returns the exit code.
 * @param command the command of the user, which each run has when its Pods are ready
 */
export async function matrix(cli: Cli, flags: MatrixFlags, command: readonly string[] | undefined): Promise<number> {
  const faults = flags.inject.length === 0 ? [DEFAULT_FAULT] : flags.inject;
  const losesNodes = faults.map(readFault).some(({ type }) => type === 'node');
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
    print([losesNodes ? [...HEADING, NODES_HEADING] : HEADING]);
    const tasks = Array.from({ length: flags.seeds }, (_, index) => async (): Promise<SeedRun | undefined> => {
      if (isStopped) return undefined;
      return runSeed(cli, index + 1, { args: [...args, '--count-requests'], command: held, losesNodes });
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
  cli.stdout.write(isText ? summaryOf(runs, { args, command: held, losesNodes }, faults) : recordOf(runs, faults));
  if (isStopped) return EXIT.interrupted;
  const hasFault = runs.some(({ faults: count }) => count > 0);
  return hasFault && runs.every(({ exitCode }) => exitCode === EXIT.ok) ? EXIT.ok : EXIT.failed;
}

function check({ seeds, jobs, for: lasting }: MatrixFlags, command: readonly string[] | undefined): void {
  if (seeds < 1) throw usage('--seeds must be at least 1');
  if (jobs < 1 || jobs > JOBS_MAX) throw usage(`--jobs must be from 1 to ${JOBS_MAX}`);
  if (lasting === undefined) return;
  if (command !== undefined) throw usage('--for cannot be used with -- COMMAND', 'The run lasts as long as COMMAND.');
  if (durationFlag('--for', lasting) <= 0) throw usage('--for must be longer than 0');
}

function applyArgs({ filename, recursive, ...flags }: MatrixFlags): string[] {
  const { namespace, until, timeout, network, runtime, nodes, zones, speed } = flags;
  const given = { namespace, until, timeout, network, runtime, nodes, zones, speed };
  return [
    ...filename.flatMap((file) => ['-f', file]),
    ...(recursive ? ['-R'] : []),
    ...Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
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
  readonly losesNodes: boolean;
}

async function runSeed(cli: Cli, seed: number, { args, command, losesNodes }: SeedCall): Promise<SeedRun> {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-matrix-'));
  try {
    const own = ['--state-dir', folder, '--quiet', '--seed', String(seed)];
    const call = { name: `seed ${seed}`, args: [...args, ...own], command, isShown: reasons() };
    const { exitCode, runs, nodesLost } = await applyInChild(cli, call);
    if (exitCode === EXIT.usage && runs.length === 0) throw usage('no Pod began', 'The lines above say why.');
    const noticed = noticedIn(runs.map(({ recorded }) => recorded));
    const faults = noticed.faults + nodesLost.length;
    return { seed, exitCode, ...noticed, faults, nodesLost: losesNodes ? nodesLost : undefined };
  } finally {
    removeTree(folder);
  }
}

/** Says of each line whether it is about a failure. Advice leads to the record of the run, which does not stay. */
function reasons(): (line: string) => boolean {
  let isReason = false;
  return (line) => {
    if (/^(error|Warning|Error from server)/.test(line)) isReason = true;
    else if (/^ {2}what to try/.test(line) || !/^( {2}|[a-z.]+\/\S+: )/.test(line)) isReason = false;
    return isReason;
  };
}

/** Begins the tasks in their order, at most `atOnce` at a time. Returns their results, in the same order. */
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

function rowOf({ seed, exitCode, faults, restarts, readyAgainMs, requests, nodesLost }: SeedRun): string[] {
  const recovery = readyAgainMs === undefined ? '-' : seconds(readyAgainMs);
  const lost = requests.length === 0 ? '-' : lostIn(requests);
  const row = [String(seed), verdict({ exitCode, faults }), String(faults), String(restarts), recovery, lost];
  return nodesLost === undefined ? row : [...row, nodesLost.join(',') || '-'];
}

function lostIn(requests: readonly RequestCount[]): string {
  const [lost, sent] = [requests.map((one) => one.lost), requests.map((one) => one.sent)].map(sum);
  return `${lost} of ${sent}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A run without a fault shows nothing, unless it failed. */
function verdict({ exitCode, faults }: Pick<SeedRun, 'exitCode' | 'faults'>): string {
  if (exitCode === EXIT.ok && faults === 0) return NO_FAULT;
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

function summaryOf(runs: readonly SeedRun[], { args, command }: SeedCall, faults: readonly string[]): string {
  if (runs.length === 0) return 'interrupted before the end of the first run\n';
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(verdict(run), (counts.get(verdict(run)) ?? 0) + 1);
  const isVain = runs.every((run) => verdict(run) === NO_FAULT);
  const verdicts = [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
  const recovered = runs.filter(({ readyAgainMs }) => readyAgainMs !== undefined);
  const [slowest] = recovered.toSorted((a, b) => (b.readyAgainMs ?? 0) - (a.readyAgainMs ?? 0));
  const requests = runs.flatMap((run) => run.requests);
  const behind = command === undefined ? [] : ['--', ...command];
  const failed = runs.find(({ exitCode }) => exitCode !== EXIT.ok);
  // `kill:app@1h` without its time: a fault can come no earlier than with the first start.
  const earliest = `${(faults[0] ?? DEFAULT_FAULT).split('@', 1).join()}@0s`;
  return [
    `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}: ${verdicts}`,
    ...(isVain
      ? [`no run had a fault: name an earlier time (--inject ${earliest}), or let runs last longer (--for)`]
      : []),
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
