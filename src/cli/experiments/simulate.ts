import {
  allContainers,
  allContainerStatuses,
  EXIT,
  formatGoDuration,
  formatTime,
  type KubeObject,
  type StoredPod,
  usage,
  type Workload,
} from '../../api/index.ts';
import { separateObjects } from '../../apiserver/index.ts';
import { plannedPods } from '../../engine/index.ts';
import { readProgram, type SimulatedLife, Simulation } from '../../simulation/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import { loadOrExplain } from '../apply/manifest-input.ts';
import type { Cli } from '../base/cli.ts';
import { displayNowMs } from '../base/environment.ts';
import { durationFlag } from '../flags/options.ts';
import { type AutoscaledLoad, lengthOfLoads, readLoads, ScalingLog } from './simulated-load.ts';
import type { ApplyView, ApplyViewOptions } from '../view/apply-view.ts';
import { JsonView } from '../view/json-view.ts';
import { painterFor } from '../view/painter-for.ts';
import { TextView } from '../view/text-view.ts';

/** The flags of `simulate`. */
export interface SimulateFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly namespace: string | undefined;
  readonly program: readonly string[];
  /** `FILE` or `NAME=FILE`, see readLoads. */
  readonly load: readonly string[];
  /** Default: a day, or the load and ten minutes. */
  readonly for: string | undefined;
  readonly output: 'text' | 'json' | undefined;
}

/** The isolation of a simulated node. */
const OF_A_NODE = { hasNamespaces: true, hasPodNetwork: true };

/** A day like any other: a simulation is the same each time. */
const START_MS = Date.UTC(2026, 0, 1);

/** Runs manifests in the simulator, and prints what a node would do. Returns the exit code. */
export async function simulate(cli: Cli, flags: SimulateFlags): Promise<number> {
  const { filename, recursive, namespace, output } = flags;
  const applyFlags = { ...APPLY_DEFAULTS, filename, recursive, namespace, output };
  const loaded = await loadOrExplain(cli, applyFlags, OF_A_NODE);
  if (!loaded.ok) return loaded.exitCode;
  const { pods, workloads, records } = separateObjects(loaded.objects);
  const programs = readPrograms(flags.program, plannedPods([...pods, ...workloads]));
  const loads = readLoads(flags.load, loaded.objects, process.cwd());
  const forMs = flags.for === undefined ? lengthOfRun(loads) : durationFlag('--for', flags.for);
  if (forMs <= 0) throw usage('--for must be longer than 0');
  const startMs = cli.env['PODRUN_NOW'] ? displayNowMs(cli) : START_MS;
  let view: ApplyView | undefined;
  const log = new ScalingLog(loads, startMs);
  const simulation: Simulation = new Simulation({
    programs,
    startMs,
    ...(loads.length > 0 && { loads }),
    onPod: (event) => view?.pod(event),
    onObject: (event) => view?.object(event),
    onEvent: (event) => {
      view?.event(event);
      const about = simulation.autoscaler(event.object.involvedObject.uid ?? '');
      log.event(event, about, simulation.clock.now().wallMs);
    },
  });
  view = await openSimulationView({
    flags: applyFlags,
    cli: cli.at(simulation.clock),
    pods: pods.map(({ object }) => object),
    workloads: workloads.map(({ object }) => object as unknown as Workload),
    manifests: pods,
    isRun: true,
  });
  cli.note(`simulated from ${formatTime(startMs)} on: no program of the manifests runs`);
  simulation.begin([...records, ...pods, ...workloads].map(({ object }) => object as unknown as KubeObject));
  await simulation.run(forMs);
  const states = simulation.pods.map((pod) => `  ${stateOf(pod)}`);
  const summary = [`after ${flags.for ?? durationText(forMs)}:`, ...states].join('\n');
  const text = `${log.text}${summary}`;
  if (applyFlags.output === 'json') cli.note(text);
  else cli.stdout.write(`${text}\n`);
  view.close();
  return EXIT.ok;
}

/** A time without parts that are zero: `24h`, `20m`. */
function durationText(ms: number): string {
  return formatGoDuration(ms)
    .replace(/(?<=[hm])0s$/, '')
    .replace(/(?<=h)0m$/, '');
}

/** Without a load, a day. */
function lengthOfRun(loads: readonly AutoscaledLoad[]): number {
  return loads.length === 0 ? 24 * 3_600_000 : lengthOfLoads(loads);
}

/** @throws {PodrunError} (usage) for a program of no container */
function readPrograms(
  texts: readonly string[],
  planned: ReturnType<typeof plannedPods>,
): Map<string, readonly SimulatedLife[]> {
  const names = new Set(planned.flatMap(({ spec }) => allContainers(spec).map(({ name }) => name)));
  return new Map(
    texts.map(readProgram).map(({ container, lives }) => {
      if (names.has(container)) return [container, lives];
      throw usage(`--program: there is no container ${container}`, `The containers are ${[...names].join(', ')}.`);
    }),
  );
}

/** A view that prints lines and draws nothing: a simulated day lasts a second. */
async function openSimulationView(options: ApplyViewOptions): Promise<ApplyView> {
  if (options.flags.output === 'json') return new JsonView(options.cli);
  return new TextView(options, await painterFor(options.cli, 'stdout'));
}

function stateOf({ metadata, status }: StoredPod): string {
  const restarts = allContainerStatuses(status).reduce((sum, { restartCount }) => sum + restartCount, 0);
  const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  const readiness = status.phase === 'Running' ? (isReady ? ', ready' : ', not ready') : '';
  return `pod/${metadata.name} ${status.phase}${readiness}, ${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
}
