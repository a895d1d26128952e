import {
  allContainers,
  allContainerStatuses,
  EXIT,
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
import { durationFlag } from '../flags/duration-flag.ts';
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
  readonly for: string;
  readonly output: 'text' | 'json' | undefined;
}

/** The isolation of a simulated node. */
const OF_A_NODE = { hasNamespaces: true, hasPodNetwork: true };

/** A day like any other: a simulation is the same each time. */
const START_MS = Date.UTC(2026, 0, 1);

/** Runs manifests in the simulator, and prints what a node would do. Answers the exit code. */
export async function simulate(cli: Cli, flags: SimulateFlags): Promise<number> {
  const forMs = durationFlag('--for', flags.for);
  if (forMs <= 0) throw usage('--for must be longer than 0');
  const { filename, recursive, namespace, output } = flags;
  const applyFlags = { ...APPLY_DEFAULTS, filename, recursive, namespace, output };
  const loaded = await loadOrExplain(cli, applyFlags, OF_A_NODE);
  if (!loaded.ok) return loaded.exitCode;
  const { pods, workloads, records } = separateObjects(loaded.objects);
  const programs = readPrograms(flags.program, plannedPods([...pods, ...workloads]));
  const startMs = cli.env['PODRUN_NOW'] ? displayNowMs(cli) : START_MS;
  let view: ApplyView | undefined;
  const simulation = new Simulation({
    programs,
    startMs,
    onPod: (event) => view?.pod(event),
    onObject: (event) => view?.object(event),
    onEvent: (event) => view?.event(event),
  });
  view = await openSimulationView({
    flags: applyFlags,
    cli: cli.at(simulation.clock),
    pods: pods.map(({ object }) => object),
    workloads: workloads.map(({ object }) => object as unknown as Workload),
    manifests: pods,
  });
  cli.note(`simulated from ${formatTime(startMs)} on: no program of the manifests runs`);
  simulation.begin([...records, ...pods, ...workloads].map(({ object }) => object as unknown as KubeObject));
  await simulation.run(forMs);
  view.note(`after ${flags.for}:`);
  for (const pod of simulation.pods) view.note(`  ${stateOf(pod)}`);
  view.close();
  return EXIT.ok;
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

/** A view that prints lines as time passes: nobody watches a day that lasts a second. */
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
