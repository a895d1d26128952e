import path from 'node:path';
import { tellDefect } from '../defects.ts';
import { isMainThread } from 'node:worker_threads';
import {
  type AgentSettings,
  type ConfigFile,
  type DeclaredNode,
  readConfigFile,
  splitNodes,
} from '../settings/index.ts';
import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  PodrunError,
  resourceTypeOf,
  type StoredPod,
  usage,
  type WatchEvent,
  type Workload,
} from '../api/index.ts';

import { nextEventLoopTurn, SystemClock } from '../clock.ts';
import {
  chooseRuntime,
  type ChosenRuntime,
  limitsRefused,
  networkOf,
  openLimits,
  plannedPods,
  refuseIdlePolicies,
  refuseWithoutEffect,
  Run,
  type RunListener,
  runtimeChoice,
  sortByOwner,
  type SortedObjects,
  storeObjects,
  unmetRequests,
} from '../engine/index.ts';

import {
  type ApiNeeds,
  apiNeeds,
  LooseEnds,
  type SeparatedObjects,
  separateObjects,
  servedKeys,
  serviceKeys,
  TakenAddresses,
  unreadWarnings,
  workloadKey,
} from '../apiserver/index.ts';
import { hasOwnNetworks } from '../machine/index.ts';
import { withoutHelmHooks } from '../manifest/index.ts';
import { ManifestError } from './base/errors.ts';
import { LibraryApi } from './base/library-api.ts';
import { LibraryPods } from './pods/library-pods.ts';
import { ListenerSet } from './pods/listener-set.ts';
import { loadSource, withoutPlaces } from './load.ts';
import { checkOptions, timeoutOf } from './base/options.ts';
import { callListener, outputReceiver } from './output.ts';
import { type CheckedRun, settingsOfRun } from './run-settings.ts';
import { openStateFolder, type StateFolder, sweepStateFolders } from './base/state-folder.ts';
import { withLibraryErrors } from './base/library-errors.ts';
import type { ManifestSource, Pods, RunOptions } from './base/types.ts';
import { variablesInHooks, withVariables } from './variables.ts';

/** Set by the build: see serve.ts. */
declare const DESCRIPTIONS: string;

/** The time limit of waits, as in `kubectl wait`. */
const TIMEOUT = '30s';

/**
 * Runs the Pods and workloads of manifests in this process, with the lifecycle of a kubelet. Resolves when they have
 * begun; wait for more with `until`. They end with the block of `await using`, with `stop()` or `close()`, and with
 * this process, however it ends.
 *
 * @example
 * await using pods = await run('pod.yaml', { timeout: '60s' });
 * await pods.until('Ready');
 * const answer = await fetch(pods.url('http'));
 *
 * @param source a path or a `file:` URL, `{ yaml: text }`, an object, or an array of these
 * @throws {ManifestError} with all mistakes in the manifests; nothing was started
 * @throws {PodrunError} for a wrong option, or one that this machine cannot fulfil; nothing was started
 */
export function run(source: ManifestSource, options: RunOptions = {}): Promise<Pods> {
  return withLibraryErrors(() => start(source, options));
}

async function start(source: ManifestSource, options: RunOptions): Promise<Pods> {
  if (process.platform === 'win32')
    throw usage('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes');
  checkOptions(options);
  if (options.helmHooks === true && options.api === false) throw usage('helmHooks cannot be used with api: false');
  options.signal?.throwIfAborted();
  const cwd = options.cwd ?? process.cwd();
  const path = typeof options.config === 'string' ? options.config : undefined;
  const config = options.config === false ? undefined : readConfigFile({ cwd, path });
  const warnings: string[] = [];
  const warn = (text: string): void => {
    if (warnings.includes(text)) return;
    warnings.push(text);
    callListener(options.onWarning, text);
  };
  const prepared: CheckedRun = { options, clock: new SystemClock(), cwd, config, warn, warnings };
  const choice = runtimeChoice({
    flag: options.runtime,
    variable: process.env['PODRUN_RUNTIME'],
    file: config?.runtime,
  });
  const loaded = await loadSource(source, cwd, {
    namespace: options.namespace,
    refusesWithoutEffect: options.strict ?? false,
    isolation: {
      hasNamespaces: choice !== 'process',
      hasPodNetwork: hasOwnNetworks(networkOf({ network: options.network, config })),
      hasNodes: nodeCount(options, config) > 1,
    },
  });
  const { objects, unread, hooks, warning } = withoutHelmHooks(loaded, options.helmHooks === true);
  if (warning !== undefined) warn(warning);
  const sorted = separateObjects(objects);
  if (sorted.pods.length === 0 && sorted.workloads.length === 0) {
    throw new ManifestError('there is no Pod or workload in these manifests', []);
  }
  loaded.warnings.forEach(warn);
  const stateFolder = openStateFolder(options.stateDir, prepared.clock);
  try {
    const where = { stateDir: stateFolder.store.root, clock: prepared.clock, userPath: process.env['PATH'] };
    const { nodes, rest } = splitNodes(unread);
    const needs = apiNeeds(stateFolder.store, rest, objects, variablesInHooks(hooks, options.env ?? {}));
    const hasApi = options.api ?? needs.isNeeded;
    for (const warning of unreadWarnings(needs, hasApi, options.strict === true)) warn(withoutPlaces(warning));
    const apiNeeded = hasApi ? needs : undefined;
    return await begin(prepared, sorted, { stateFolder, needs: apiNeeded, nodes }, await chooseRuntime(choice, where));
  } catch (error) {
    stateFolder.close();
    throw error;
  }
}

async function begin(
  prepared: CheckedRun,
  { pods, records, workloads }: SeparatedObjects,
  { stateFolder, needs, nodes }: Pick<RunParts, 'stateFolder' | 'needs'> & { readonly nodes: readonly DeclaredNode[] },
  chosen: ChosenRuntime,
): Promise<Pods> {
  const { options, clock, config, warn } = prepared;
  const { store } = stateFolder;
  const { features } = chosen;
  const manifests = [...pods, ...records, ...workloads];
  const planned = plannedPods([...pods, ...workloads]);
  if (options.strict === true) {
    refuseWithoutEffect(planned, { store, features, objects: manifests.map(({ object }) => object as KubeObject) });
    const open = openLimits(planned, config?.podPidsLimit, options.enforceMemory === 'poll') ?? [];
    if (open.length > 0) throw limitsRefused(open);
  }
  const variables = options.env ?? {};
  const sorted = sortByOwner(store, {
    pods: pods.map((pod) => withVariables(pod, variables)),
    records,
    workloads: workloads.map((workload) => withVariables(workload, variables)),
  });
  for (const { object } of [...sorted.live, ...sorted.liveWorkloads]) throw runsAlready(store, object as Runnable);
  for (const lack of unmetRequests(chosen, planned, store.root)) warn(lack);
  const chosenSettings = await settingsOfRun(prepared, chosen, store.root, manifests);
  const settings = { ...chosenSettings, nodes: [...(chosenSettings.nodes ?? []), ...nodes] };
  if (options.strict === true) refuseIdlePolicies(manifests, settings.privateNetworks);
  const loose = new LooseEnds(store, manifests);
  for (const warning of loose.warnings) warn(withoutPlaces(warning));
  const beginning = {
    store,
    clock,
    command: OWNER.command,
    hasNetworks: settings.privateNetworks !== undefined,
    warn,
    trouble: warn,
    note: () => undefined,
    replaced: warn,
  };
  const keep = (): Promise<void> => storeObjects(beginning, sorted, [...pods, ...workloads]);
  if (needs === undefined) await keep();
  return startRun(prepared, { stateFolder, loose, needs, keep }, sorted, settings);
}

function nodeCount({ nodes: given }: RunOptions, config: ConfigFile | undefined): number {
  const nodes = given ?? config?.nodes ?? 1;
  return typeof nodes === 'number' ? nodes : nodes.length;
}

/** A Pod or a workload. */
type Runnable = StoredPod | Workload;

/** The owner of the Pods, as other processes see it. */
const OWNER = { command: 'run()' };

interface RunParts {
  readonly stateFolder: StateFolder;
  readonly loose: LooseEnds;
  /** The objects that need an API server. Undefined: there is none. */
  readonly needs: ApiNeeds | undefined;
  /** Stores all objects but Pods and the objects of `needs`. */
  readonly keep: () => Promise<void>;
}

async function startRun(
  { options, clock, warn, warnings }: CheckedRun,
  { stateFolder, loose, needs, keep }: RunParts,
  { own, ownWorkloads, records }: SortedObjects,
  settings: AgentSettings,
): Promise<Pods> {
  const { store } = stateFolder;
  const onPod = new ListenerSet<WatchEvent<StoredPod>>();
  const { signal, timeout = TIMEOUT, settle, allowRestarts, namespace } = options;
  const goalRules = { ...(settle !== undefined && { settle }), ...(allowRestarts !== undefined && { allowRestarts }) };
  const descriptionsFile = path.join(path.dirname(import.meta.filename), DESCRIPTIONS);
  const timeoutMs = timeoutOf(timeout);
  const api = needs && new LibraryApi(needs, { store, clock, namespace, warn, descriptionsFile, timeoutMs, signal });
  const running = await Run.start({
    objects: {
      pods: own,
      workloads: ownWorkloads.map(workloadKey),
      services: serviceKeys(records),
      isRolling: options.rolling,
    },
    openApi: api && ((node) => api.open(node).then(keep)),
    isBusy: () => api?.isBusy === true,
    nodes: settings.nodes,
    settings: () => settings,
    store,
    clock,
    owner: OWNER,
    onClaimed: ({ foreign }) => {
      for (const { object } of foreign) throw runsAlready(store, object);
      signal?.throwIfAborted();
    },
    // A worker thread closes at its end every descriptor that it has opened. A stream may have closed a descriptor
    // before, and its number may belong to another file by then.
    pipes: isMainThread ? undefined : 'pipe',
    listener: listenerOf(options, onPod, warn),
  }).catch(async (error: unknown) => {
    await api?.close();
    throw error;
  });
  api?.follow(() => running.changed());
  running.follow({
    changed: () => undefined,
    broke: (defect) => {
      tellDefect(defect);
      running.terminate({ force: false });
    },
  });
  const pods = new LibraryPods({
    running,
    services: serviceKeys(records),
    taken: new TakenAddresses(store, servedKeys(records), () => running.changed()),
    loose,
    api,
    stateFolder,
    clock,
    namespace: namespace ?? DEFAULT_NAMESPACE,
    warnings,
    warn,
    timeout,
    goalRules,
    signal,
    onPod,
  });
  await api?.applyCustom();
  api?.beginHooks();
  if (signal?.aborted === true) running.terminate({ force: false });
  if (options.stateDir === undefined) nextEventLoopTurn(sweepStateFolders);
  return pods;
}

/** The listener of a run: for the user's functions, and for the Pods of the library. */
function listenerOf(
  { logs, onTransition }: RunOptions,
  onPod: ListenerSet<WatchEvent<StoredPod>>,
  warn: (text: string) => void,
): RunListener {
  const output = outputReceiver(logs);
  return {
    ...output,
    onPod: (event) => {
      output.onPod(event.object);
      onPod.notify(event);
      if (onTransition !== undefined) {
        callListener(onTransition, { type: event.type, pod: structuredClone(event.object) });
      }
    },
    onEvent: () => undefined,
    onTrouble: warn,
  };
}

function runsAlready(store: StateFolder['store'], object: Runnable): PodrunError {
  const { kind, metadata } = object;
  const { namespace, name } = metadata;
  const owner = store.owners.of(namespace, name, resourceTypeOf(object).plural);
  const where = owner === undefined ? '' : ` under ${store.owners.describe(owner)}`;
  return new PodrunError(
    'AlreadyExists',
    `${kind.toLowerCase()} "${name}" runs already${where}, with the state folder ${store.root}`,
    {
      hint: 'Delete it first, or omit stateDir: then each run has its own folder.',
    },
  );
}
