import path from 'node:path';
import type { AgentSettings, ConfigFile } from '../../settings/index.ts';
import { serviceFacts, type WorkloadKey } from '../../apiserver/index.ts';
import {
  type ChosenRuntime,
  type OwnedRun,
  type OwnedWorkload,
  Run,
  type RunListener,
  SmallHeap,
  unmetRequests,
} from '../../engine/index.ts';
import type { StoredPod } from '../../api/index.ts';
import { commandVariables, goalText, type Root, serviceVariables, stuckPods } from '../../lifecycle/index.ts';
import { obstacleText } from '../../machine/index.ts';
import { closeInheritedDescriptors } from '../../runtime/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { calledCommand } from '../base/environment.ts';
import type { ApplyView } from '../view/apply-view.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { firstPullTeller } from './first-pull.ts';
import { followRun, showing } from './follow-run.ts';
import type { ApplySession } from './session.ts';

/**
 * The Pods of a run: Pods that this process runs and ends, and live Pods of other processes, which it only waits for.
 */
export interface RunPods {
  readonly owned: readonly OwnedRun[];
  /** Workloads whose controllers this process runs. */
  readonly workloads: readonly OwnedWorkload[];
  readonly live: readonly StoredPod[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly WorkloadKey[];
}

/** Runs the Pods until their end, or until a decision ends them. */
export async function runPods(session: ApplySession, pods: RunPods): Promise<number> {
  const { cli, flags, store, view } = session;
  const { owned, workloads, live, liveWorkloads } = pods;
  closeInheritedDescriptors();
  const settings = await settingsOf(session);
  let running: Run | undefined;
  const following = session.follow?.(() => {
    if (running === undefined) throw new TypeError('the run has not begun');
    return running;
  });
  const mayPass = following !== undefined || session.faults !== undefined;
  return followRun(session, {
    following,
    live,
    liveWorkloads,
    isOwnRun: following !== undefined || owned.length > 0 || workloads.length > 0 || flags.staticPods !== undefined,
    // A registry may have the image later, as on a node, and a fault may pass.
    stuck: (roots) => (mayPass || pullsImages(settings) ? [] : stuckPods(roots)),
    variables: (roots) => ({
      ...serviceAddresses(store, roots),
      ...commandVariables(roots, path.resolve(store.root)),
    }),
    open: (onChange, onDefect) =>
      (running = new Run({
        settings,
        store,
        clock: cli.clock,
        owned,
        workloads,
        staticPods: flags.staticPods,
        isServing: following !== undefined,
        faults: session.faults,
        owner: { command: calledCommand(cli) },
        listener: { ...listenerFor(view, owned), onPull: firstPullTeller(session), onChange, onDefect },
      })),
  });
}

/** Shows everything in the view, and keeps the heap small. */
function listenerFor(view: ApplyView, owned: readonly OwnedRun[]): Omit<RunListener, 'onChange' | 'onDefect'> {
  const heap = new SmallHeap(owned.map(({ pod }) => pod));
  return {
    ...showing(view),
    onPod: (event) => {
      view.pod(event);
      heap.pod(event.object);
    },
  };
}

/** True when images of registries may be what a Pod waits for. */
function pullsImages({ imageSource, features }: AgentSettings): boolean {
  return imageSource === 'registry' || (imageSource === 'auto' && features.tier === 'namespace');
}

/** `NAME_SERVICE_HOST` and `NAME_SERVICE_PORT` of the Services beside the roots, as this machine reaches them. */
function serviceAddresses(store: FileStore, roots: readonly Root[]): Record<string, string> {
  const namespaces = new Set(roots.map(({ object }) => object.metadata.namespace));
  const variables = [...namespaces].flatMap((namespace) => [
    ...serviceVariables(serviceFacts(store, namespace, 'host'), namespace, true),
  ]);
  return Object.fromEntries(variables.filter(([name]) => /_SERVICE_(HOST$|PORT$|PORT_)/.test(name)));
}

/** The settings of the agent. Prints requests of the Pods that this machine cannot meet. */
export async function settingsOf(session: ApplySession): Promise<AgentSettings> {
  const { cli, view } = session;
  const chosen = await session.runtime;
  if (cli.isVerbose) printDecisions(session, chosen);
  const lack = unmetRequests(chosen, session.planned);
  if (lack !== undefined) view.trouble(lack);
  return { ...session.settings, features: chosen.features };
}

/** Prints the decisions before the Pods run, and their sources, for --verbose. */
function printDecisions({ cli, flags, plan, config }: ApplySession, { features, lack }: ChosenRuntime): void {
  cli.detail(
    config === undefined ? 'found no podrun.yaml in this folder or those above' : `settings of ${config.path}`,
  );
  const why = lack === undefined ? '' : `; ${obstacleText(lack.why)}`;
  cli.detail(`runtime tier ${features.tier}: ${whoChoseRuntime(cli, flags, config)}${why}`);
  const goal = plan.goal === undefined ? 'every Pod has ended' : `every Pod is ${goalText(plan.goal)}`;
  cli.detail(`waiting until ${goal}, ${flags.timeout === undefined ? 'without a time limit' : `for ${flags.timeout}`}`);
}

function whoChoseRuntime({ env }: Cli, { runtime }: ApplyFlags, config: ConfigFile | undefined): string {
  if (runtime !== undefined) return `--runtime ${runtime}`;
  const variable = env['PODRUN_RUNTIME'];
  if (variable) return `PODRUN_RUNTIME=${variable}`;
  return config?.runtime === undefined
    ? 'the best that this machine permits'
    : `runtime: ${config.runtime} of ${config.path}`;
}
