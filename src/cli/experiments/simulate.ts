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
import { InjectedFaults, readFault } from '../../experiments/index.ts';
import { isUnservedVersion, undefinedKindText, type UnreadObject } from '../../manifest/index.ts';
import { readConfigFile, splitNodes } from '../../settings/index.ts';
import { ManualClock, readProgram, type SimulatedLife, Simulation } from '../../simulation/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import { nodesOfFlags } from '../apply/apply-input.ts';
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
  /** The number of nodes. Undefined: podrun.yaml and the manifests decide. */
  readonly nodes?: number;
  readonly zones?: number;
  readonly inject: readonly string[];
  readonly seed: number | undefined;
  readonly output: 'text' | 'json' | undefined;
}

/** The isolation of a simulated node. */
const OF_A_NODE = { hasNamespaces: true, hasPodNetwork: true };
/** The kind of a network in which no Pod is cut off from another. */
const NETWORK = 'host';

/** The seed of faults, as for apply. */
const DEFAULT_SEED = 1;

/** A day like any other: a simulation is the same each time. */
const START_MS = Date.UTC(2026, 0, 1);

/** Runs manifests in the simulator, and prints what a node would do. Returns the exit code. */
export async function simulate(cli: Cli, flags: SimulateFlags): Promise<number> {
  const { filename, recursive, namespace, output } = flags;
  const applyFlags = { ...APPLY_DEFAULTS, filename, recursive, namespace, output };
  const chosen = nodesOfFlags(flags) ?? readConfigFile({ path: undefined, cwd: cli.cwd })?.nodes ?? [];
  const loaded = await loadOrExplain(cli, applyFlags, { ...OF_A_NODE, hasNodes: chosen.length > 1 });
  if (!loaded.ok) return loaded.exitCode;
  const { nodes: ofManifests, rest } = splitNodes(loaded.unread);
  const nodes = [...chosen, ...ofManifests];
  for (const text of new Set(rest.map(notSimulated))) cli.warn(text);
  const { pods, workloads, records } = separateObjects(loaded.objects);
  const planned = plannedPods([...pods, ...workloads]);
  const programs = readPrograms(flags.program, planned);
  const loads = readLoads(flags.load, loaded.objects, cli.cwd);
  const forMs = flags.for === undefined ? lengthOfRun(loads) : durationFlag('--for', flags.for);
  if (forMs <= 0) throw usage('--for must be longer than 0');
  const startMs = cli.env['PODRUN_NOW'] ? displayNowMs(cli) : START_MS;
  let view: ApplyView | undefined;
  const log = new ScalingLog(loads, startMs);
  const clock = new ManualClock(startMs);
  const faults = readFaults(flags, clock);
  faults?.check(
    planned,
    NETWORK,
    nodes.map(({ name }) => name),
  );
  const simulation: Simulation = new Simulation({
    programs,
    clock,
    faults,
    ...(nodes.length > 0 && { nodes }),
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
    hasNodes: () => nodes.length > 1,
  });
  cli.note(`simulated from ${formatTime(startMs)} on: no program of the manifests runs`);
  simulation.begin([...records, ...pods, ...workloads].map(({ object }) => object as unknown as KubeObject));
  await simulation.run(forMs);
  const states = simulation.pods.map((pod) => `  ${stateOf(pod, nodes.length > 1)}`);
  const summary = [`after ${flags.for ?? durationText(forMs)}:`, ...states].join('\n');
  const text = `${log.text}${summary}`;
  if (applyFlags.output === 'json') cli.note(text);
  else cli.stdout.write(`${text}\n`);
  view.close();
  return EXIT.ok;
}

/** @throws {PodrunError} (usage) for a fault of something that no simulated machine has */
function readFaults({ inject, seed = DEFAULT_SEED }: SimulateFlags, clock: ManualClock): InjectedFaults | undefined {
  const faults = inject.map(readFault);
  const first = faults.find(({ type }) => type === 'partition' || type === 'image');
  if (first !== undefined)
    throw usage(
      `--inject ${first.text}: a simulated machine pulls no image and has no network`,
      'podrun apply has both.',
    );
  if (faults.length === 0) return undefined;
  return new InjectedFaults({ faults, seed, clock, jumpWall: (ms) => clock.jumpWall(ms) });
}

/** The warning about an object that no agent and no controller acts upon, or that has a removed version. */
function notSimulated({ object, noMatch, file, position: { line, column } }: UnreadObject): string {
  const isUnserved = noMatch !== undefined && isUnservedVersion(object.apiVersion);
  if (isUnserved) return `${undefinedKindText(object)} (${file}:${line}:${column})`;
  return `${object.kind} is not supported by this runner, ignored`;
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

function stateOf({ metadata, spec, status }: StoredPod, hasNodes: boolean): string {
  const restarts = allContainerStatuses(status).reduce((sum, { restartCount }) => sum + restartCount, 0);
  const isReady = status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
  const readiness = status.phase === 'Running' ? (isReady ? ', ready' : ', not ready') : '';
  const node = hasNodes ? ` on ${spec.nodeName ?? 'no node'}` : '';
  const count = `${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`;
  return `pod/${metadata.name} ${status.phase}${node}${readiness}, ${count}`;
}
