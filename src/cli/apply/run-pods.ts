import { existsSync } from 'node:fs';
import path from 'node:path';
import { allContainers, EXIT, type StoredPod } from '../../api/index.ts';
import { isApiServer, servedUrls, serviceFacts, type WorkloadKey } from '../../apiserver/index.ts';
import { runGoalText } from '../../controllers/index.ts';
import {
  type ChosenRuntime,
  type ClaimedObjects,
  PodForwards,
  Run,
  type RunInput,
  type RunObjects,
  SmallHeap,
  unmetRequests,
} from '../../engine/index.ts';
import { imagesFolder, type OnPull } from '../../images/index.ts';
import {
  commandVariables,
  containerSource,
  podRoot,
  type Root,
  serviceVariables,
  stuckPods,
  urlVariables,
  verdictOf,
} from '../../lifecycle/index.ts';
import { obstacleText } from '../../machine/index.ts';
import { closeInheritedDescriptors } from '../../runtime/index.ts';
import type { AgentSettings, ConfigFile } from '../../settings/index.ts';
import type { FileStore } from '../../store/index.ts';
import { homeFolder } from '../../user.ts';
import type { Cli } from '../base/cli.ts';
import { calledCommand } from '../base/environment.ts';
import { holdSignals } from '../base/signals.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { ApplyPlan } from './apply-input.ts';
import { followRun, openReport, type RunSource, showing } from './follow-run.ts';
import type { ApplySession } from './session.ts';

/** The work of other processes, which this one only waits for. */
interface ForeignWork {
  readonly live: readonly StoredPod[];
  readonly liveWorkloads: readonly WorkloadKey[];
}

/**
 * Runs the objects until their end, or until a decision ends them. Returns the exit code.
 * @param foreignOf called when this process owns what it runs; an error undoes the run
 * @param openApi see RunInput
 */
export async function runPods(
  session: ApplySession,
  objects: RunObjects,
  foreignOf: (claimed: ClaimedObjects) => ForeignWork,
  openApi?: RunInput['openApi'],
): Promise<number> {
  const { cli, flags, plan, store, view, api } = session;
  const heldSignals = holdSignals(cli, () => api?.interrupt());
  const forwards = new PodForwards(store);
  try {
    closeInheritedDescriptors();
    let foreign: ForeignWork = { live: [], liveWorkloads: [] };
    let isOwnRun = session.follow !== undefined || flags.staticPods !== undefined;
    const running = await startRun(
      session,
      objects,
      (claimed) => {
        foreign = foreignOf(claimed);
        isOwnRun ||= claimed.owned.length > 0 || claimed.workloads.length > 0;
      },
      openApi,
    );
    api?.follow(() => running.changed());
    await api?.applyCustom();
    if (!isOwnRun && !isWaiting(plan)) {
      await api?.runHooks();
      const { live } = foreign;
      const report = { roots: live.map(podRoot), pods: live, record: 'complete', command: undefined } as const;
      openReport(session, live)?.write(report, (trouble) => view.trouble(trouble));
      await running.end({ force: false });
      return EXIT.ok;
    }
    api?.beginHooks();
    const source = sourceOf(session, running, forwards);
    return await followRun(session, { ...source, ...foreign, node: session.settings, isOwnRun, heldSignals });
  } catch (error) {
    const signal = heldSignals.release();
    if (signal === undefined || error !== api?.interruption) throw error;
    return verdictOf({ type: 'interrupted', signal }, [], 'complete').exitCode;
  } finally {
    forwards.close();
    heldSignals.release();
  }
}

/** True when `apply` waits, even without Pods of its own. */
export function isWaiting({ goal, timeoutMs, command }: ApplyPlan): boolean {
  return goal !== undefined || timeoutMs !== undefined || command !== undefined;
}

/** Starts the run. The view shows everything, and the heap stays small. */
function startRun(
  session: ApplySession,
  objects: RunObjects,
  onClaimed: (claimed: ClaimedObjects) => void,
  openApi: RunInput['openApi'],
): Promise<Run> {
  const { cli, flags, store, view } = session;
  const heap = new SmallHeap([]);
  return Run.start({
    objects,
    nodes: session.settings.nodes,
    settings: () => settingsOf(session),
    store,
    clock: cli.clock,
    staticPods: flags.staticPods && session.cli.pathOf(flags.staticPods),
    isServing: session.follow !== undefined,
    openApi,
    isBusy: () => session.api?.isBusy === true,
    faults: session.faults,
    owner: { command: calledCommand(cli) },
    onClaimed: (claimed) => {
      for (const { pod } of claimed.owned) heap.add(pod);
      onClaimed(claimed);
    },
    listener: {
      ...showing(view),
      onObject: (event) => {
        if (!isApiServer({ ...event.object })) view.object(event);
      },
      onEvent: (event) => {
        const { kind = '', apiVersion = '', name, namespace } = event.object.involvedObject;
        if (!isApiServer({ apiVersion, kind, metadata: { name, namespace } })) view.event(event);
      },
      onPod: (event) => {
        view.pod(event);
        heap.pod(event.object);
      },
      onPull: firstPullTeller(session),
    },
  });
}

/** The part of a source that depends on this machine. */
function sourceOf(
  session: ApplySession,
  running: Run,
  forwards: PodForwards,
): Pick<RunSource, 'running' | 'following' | 'stuck' | 'variables' | 'restart'> {
  const { store } = session;
  const following = session.follow?.(running);
  const mayPass = following !== undefined || session.faults !== undefined;
  return {
    running,
    following,
    restart: (uid, container) => running.agent.restart(uid, [container], true),
    // A registry may have the image later, as on a node, and a fault may pass.
    stuck: (roots) => (mayPass || pullsImages(running.settings) ? [] : stuckPods(roots)),
    variables: async (roots) => {
      await forwards.open(roots.flatMap(({ pods }) => pods));
      const variables = commandVariables(roots, store.root, forwards);
      return { ...serviceAddresses(store, roots), ...variables, ...session.api?.variables };
    },
  };
}

/** True when images of registries may be what a Pod waits for. */
function pullsImages({ imageSource, features }: AgentSettings): boolean {
  return imageSource !== 'host' && features.tier === 'namespace';
}

/**
 * `NAME_SERVICE_HOST`, `NAME_SERVICE_PORT` and `PODRUN_NAME_URL` of the Services and Ingresses beside the roots that an
 * agent has, as this machine reaches them.
 */
function serviceAddresses(store: FileStore, roots: readonly Root[]): Record<string, string> {
  const namespaces = new Set(roots.map(({ object }) => object.metadata.namespace));
  const variables = [...namespaces].flatMap((namespace) => {
    const served = serviceFacts(store, namespace, 'host').filter(({ name }) =>
      store.owners.isOwned(namespace, name, 'services'),
    );
    return [...serviceVariables(served, namespace, true)];
  });
  const urls = urlVariables([...namespaces].flatMap((namespace) => servedUrls(store, namespace)));
  return {
    ...Object.fromEntries(variables.filter(([name]) => /_SERVICE_(HOST$|PORT$|PORT_)/.test(name))),
    ...urls,
  };
}

/** The settings of the agent. Prints requests of the Pods that this machine cannot meet. */
export async function settingsOf(session: ApplySession): Promise<AgentSettings> {
  const { cli, view } = session;
  const chosen = await session.runtime;
  if (cli.isVerbose) printDecisions(session, chosen);
  for (const lack of unmetRequests(chosen, session.planned, session.store.root)) view.trouble(lack);
  return { ...session.settings, features: chosen.features };
}

/** Prints the decisions before the Pods run, and their sources, for --verbose. */
function printDecisions({ cli, flags, plan, config }: ApplySession, { features, lack }: ChosenRuntime): void {
  cli.detail(
    config === undefined ? 'found no podrun.yaml in this folder or those above' : `settings of ${config.path}`,
  );
  const why = lack === undefined ? '' : `; ${obstacleText(lack.why)}`;
  cli.detail(`runtime tier ${features.tier}: ${whoChoseRuntime(cli, flags, config)}${why}`);
  const goal = plan.goal === undefined ? 'every Pod has ended' : `everything is ${runGoalText(plan.goal)}`;
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

type Tellers = Pick<ApplySession, 'cli' | 'settings' | 'view'>;

/** Passes pulls to the view. Notes once in the life of the image store that podrun pulls from registries by itself. */
function firstPullTeller(session: Tellers): OnPull {
  let isNoted = !mustTell(session);
  return (notice) => {
    if (!isNoted) tell(session, notice.image);
    isNoted = true;
    session.view.pull(notice);
  };
}

/** Writes the same note about the Pods that a background agent is going to run. */
export function tellOfFirstPull(session: ApplySession, { images, imageSource, features }: AgentSettings): void {
  if (!mustTell(session)) return;
  const rules = { choice: imageSource, tier: features.tier };
  const containers = session.planned.flatMap(({ spec }) => allContainers(spec));
  const pulled = containers.find((container) => containerSource(container, images, rules).type === 'image');
  if (pulled !== undefined) tell(session, pulled.image ?? '');
}

function tell({ cli }: Pick<Tellers, 'cli'>, image: string): void {
  cli.note(`pulling ${image}: nothing else says what to run (--images=host never pulls)`);
}

/** True unless the user has chosen, or has pulled images before. */
function mustTell({ cli, settings }: Tellers): boolean {
  const store = path.join(imagesFolder(cli.env, homeFolder()), 'images');
  return settings.imageSource === 'auto' && !existsSync(store);
}
