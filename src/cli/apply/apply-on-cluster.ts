import { makeImageMap, readConfigFile } from '../../settings/index.ts';
import { randomSuffix, refuseNothingDefined, serviceKeys } from '../../apiserver/index.ts';
import type { RunListener } from '../../engine/index.ts';
import { type KubeObject, PodrunError, usage } from '../../api/index.ts';
import {
  commandVariables,
  INGRESS_SERVED,
  type Root,
  SERVICE_SERVED,
  serviceVariables,
  verdictOf,
} from '../../lifecycle/index.ts';
import { type HelmHook, type ManifestObject, withoutHelmHooks } from '../../manifest/index.ts';
import {
  ClusterConnection,
  clusterImages,
  ClusterRun,
  type ClusterRunOptions,
  FORWARDED_HOST,
  PortForwards,
  removeLeftovers,
} from '../../remote/index.ts';

import { openCluster } from '../connect/open-cluster.ts';

import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { calledCommand, openStore } from '../base/environment.ts';
import type { ApplyView } from '../view/apply-view.ts';
import { openView } from '../view/open-view.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { unreadOnCluster } from './cluster-objects.ts';
import { planApply } from './apply-input.ts';
import { followRun, showing } from './follow-run.ts';
import { loadOrExplain, manifestsToRun, type StandardInput } from './manifest-input.ts';
import type { RunSession } from './session.ts';
import { type HeldSignals, holdSignals } from '../base/signals.ts';

/** The isolation that a cluster has. */
const OF_A_NODE = { hasNamespaces: true, hasPodNetwork: true, hasNodes: true };

/** Flags that say how this machine runs Pods, each with a check whether it was given. */
const FOR_THIS_MACHINE: ReadonlyArray<readonly [flag: string, isGiven: (flags: ApplyFlags) => boolean]> = [
  ['--detach', ({ detach }) => detach],
  ['--api', ({ api }) => api === true],
  ['--no-api', ({ api }) => api === false],
  ['--static-pods', ({ staticPods }) => staticPods !== undefined],
  ['--image', ({ image }) => image.length > 0],
  ['--images', ({ images }) => images !== undefined],
  ['--network', ({ network }) => network !== undefined],
  ['--proxy', ({ proxy }) => proxy !== undefined],
  ['--egress', ({ egress }) => egress !== undefined],
  ['--no-network-host-access', ({ networkHostAccess }) => !networkHostAccess],
  ['--ingress-port', ({ ingressPort }) => ingressPort !== undefined],
  ['--runtime', ({ runtime }) => runtime !== undefined],
  ['--isolate', ({ isolate }) => isolate],
  ['--nodes', ({ nodes }) => nodes !== undefined],
  ['--zones', ({ zones }) => zones !== undefined],
  ['--overcommit', ({ overcommit }) => overcommit],
  ['--seccomp-root', ({ seccompRoot }) => seccompRoot !== undefined],
  ['--strict-pid1', ({ strictPid1 }) => strictPid1],
  ['--best-effort', ({ bestEffort }) => bestEffort],
  ['--enforce-memory', ({ enforceMemory }) => enforceMemory !== undefined],
  ['--speed', ({ speed }) => speed !== undefined],
  ['--inject', ({ inject }) => inject.length > 0],
  ['--keep', ({ keep }) => keep !== undefined],
  ['--dry-run', ({ dryRun }) => dryRun !== 'none'],
];

/**
 * Runs the manifests on a cluster, and removes them from it at the end. Everything else is as on this machine. Returns
 * the exit code.
 * @throws {PodrunError} when a flag makes no sense there, or the cluster refuses an object
 */
export async function applyOnCluster(
  cli: Cli,
  flags: ApplyFlags,
  command: readonly string[] | undefined,
  stdin?: StandardInput,
): Promise<number> {
  const plan = planApply(flags, command);
  refuseForCluster(flags);
  const config = readConfigFile({ path: flags.config, cwd: cli.cwd });
  const access = await openCluster(cli, flags);
  const store = openStore(cli, access.context);
  const runId = `podrun-${randomSuffix()}`;
  const loaded = await loadOrExplain(cli, { ...flags, namespace: flags.namespace ?? runId }, OF_A_NODE, stdin);
  if (!loaded.ok) return loaded.exitCode;
  const { hooks, warning, ...withoutHooks } = withoutHelmHooks(loaded, flags.helmHooks === true);
  if (warning !== undefined) cli.warn(warning);
  const { expected, ...sorted } = await manifestsToRun(cli, flags, plan, withoutHooks.objects);
  const { pods, records, workloads } = sorted;
  const connection = new ClusterConnection(access);
  const { first, last, custom, warnings } = await unreadOnCluster(connection, store, withoutHooks.unread, flags.strict);
  for (const text of warnings) cli.warn(text);
  const rest = [withoutHooks.objects, first, last, custom, hooks.preInstall, hooks.postInstall].flat().length;
  refuseNothingDefined({ undefinedKinds: warnings.length, rest });
  const written = [...records, ...workloads, ...pods].map(writtenObject);
  const onCluster = clusterImages(makeImageMap([], config), flags.onClusterImage);
  const hookOnCluster = (hook: HelmHook): HelmHook => ({ ...hook, object: onCluster(hook.object) });
  const create = {
    objects: [...first, ...written.map(onCluster), ...last],
    custom,
    hooks: { preInstall: hooks.preInstall.map(hookOnCluster), postInstall: hooks.postInstall.map(hookOnCluster) },
  };
  const view = await openView({ cli, flags, isRun: true }, sorted);
  const interruption = new AbortController();
  const heldSignals = holdSignals(cli, () => interruption.abort(new PodrunError('NotRunning', 'interrupted')));
  const services = serviceKeys(records);
  // The advice at the end names commands that find this run.
  const ownFlags = { ...flags, stateDir: store.root };
  const session = { cli, flags: ownFlags, plan, store, view, config, services, served: [], loose: undefined, expected };
  try {
    const { signal } = interruption;
    const exitCode = await createAndFollow(session, { connection, runId, create, heldSignals, signal });
    return expected?.check(cli, store, exitCode) ?? exitCode;
  } catch (error) {
    const held = heldSignals.release();
    if (held === undefined || error !== interruption.signal.reason) throw error;
    return verdictOf({ type: 'interrupted', signal: held }, [], 'complete').exitCode;
  } finally {
    heldSignals.release();
    view.close();
  }
}

/** The part of a run on a cluster that its session does not have. */
interface OnCluster {
  readonly connection: ClusterConnection;
  /** See ClusterRunOptions. */
  readonly runId: string;
  readonly create: Pick<ClusterRunOptions, 'custom' | 'hooks' | 'objects'>;
  readonly heldSignals: HeldSignals;
  /** Aborted by the first signal, which ends hooks. */
  readonly signal: AbortSignal;
}

async function createAndFollow(
  session: RunSession,
  { connection, runId, create, heldSignals, signal }: OnCluster,
): Promise<number> {
  const { cli, flags, plan, store, view } = session;
  const { access } = connection;
  const forwards = new PortForwards(access, store);
  const namespace = flags.namespace ?? runId;
  try {
    await removeLeftovers(connection, store.root, cli.note);
    view.note(`namespace ${namespace} of context ${access.context} (${access.server})`);
    const running = await ClusterRun.start({
      connection,
      store,
      clock: cli.clock,
      runId,
      namespace: flags.namespace,
      ...create,
      hookLimits: { deadlineMs: plan.timeoutMs && cli.clock.now().monotonicMs + plan.timeoutMs, signal },
      command: calledCommand(cli),
      listener: showingCluster(view),
      note: (text) => view.note(text),
    });
    return await followRun(session, {
      running,
      live: [],
      liveWorkloads: [],
      isOwnRun: true,
      stuck: () => [],
      variables: (roots) => forwardedVariables(forwards, store, namespace, roots),
      heldSignals,
    });
  } finally {
    forwards.close();
  }
}

/**
 * Shows everything in the view but where Services and Ingresses are served: a cluster's addresses lead nowhere outside
 * it, and the events of another podrun have addresses of its own machine.
 */
function showingCluster(view: ApplyView): RunListener {
  const listener = showing(view);
  return {
    ...listener,
    onEvent: (event) => {
      const { reason } = event.object;
      if (reason !== SERVICE_SERVED && reason !== INGRESS_SERVED) listener.onEvent?.(event);
    },
    onObject: (event) => {
      if (event.object.kind !== 'Service') listener.onObject?.(event);
    },
  };
}

function refuseForCluster(flags: ApplyFlags): void {
  const given = FOR_THIS_MACHINE.filter(([, isGiven]) => isGiven(flags)).map(([flag]) => flag);
  if (given.length === 0) return;
  throw usage(
    `${given.join(', ')} cannot be used with --context`,
    'The cluster decides how it runs Pods, and podrun removes them at its end. To leave them there, use kubectl apply.',
  );
}

/** The object as the manifest says: the cluster sets its own defaults. */
function writtenObject({ object, written }: ManifestObject): KubeObject {
  const { namespace, name } = object.metadata;
  return { ...written, metadata: { ...written.metadata, ...(name && { name }), ...(namespace && { namespace }) } };
}

/** The variables of COMMAND: it reaches Pods and Services through ports of this machine. */
async function forwardedVariables(
  forwards: PortForwards,
  store: FileStore,
  namespace: string,
  roots: readonly Root[],
): Promise<Record<string, string>> {
  await forwards.openPods(roots.flatMap(({ pods }) => pods));
  const services = serviceVariables(await forwards.openServices(namespace), namespace, true);
  const served = [...services].filter(([name]) => /_SERVICE_(HOST$|PORT$|PORT_)/.test(name));
  return {
    ...Object.fromEntries(served),
    ...commandVariables(roots, store.root, {
      address: () => FORWARDED_HOST,
      port: (pod, port) => forwards.portOf(pod, port),
    }),
  };
}
