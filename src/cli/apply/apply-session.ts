import { existsSync } from 'node:fs';
import { EXIT, type KubeObject, type StoredPod } from '../../api/index.ts';
import {
  type ApiNeeds,
  apiNeeds,
  checkChanges,
  configureObject,
  LooseEnds,
  managedManifests,
  newObject,
  recordOf,
  replacedJob,
  servedKeys,
  serviceKeys,
  refuseNothingDefined,
  unreadWarnings,
} from '../../apiserver/index.ts';
import { machineClock } from '../../clock.ts';
import { mustHold } from '../../controllers/index.ts';
import {
  chooseRuntime,
  type DetectionInput,
  hasLiveOwner,
  limitsRefused,
  networkOf,
  openLimits,
  type PlannedPod,
  plannedPods,
  refuseSilentOwners,
  idlePolicies,
  refuseIdlePolicies,
  refuseWithoutEffect,
  type RunChoices,
  runNetworks,
  runSettings,
  runtimeChoice,
  sortByOwner,
} from '../../engine/index.ts';
import type { Faults } from '../../kubelet/index.ts';
import { hasOwnNetworks, type RuntimeChoice } from '../../machine/index.ts';
import { type Isolation, type ManifestObject, withoutHelmHooks } from '../../manifest/index.ts';
import { BESIDE_OTHERS, type ChosenNetworks } from '../../network/index.ts';
import { listOf, renderObject } from '../../print/index.ts';
import { runInScope, type RuntimeFeatures } from '../../runtime/index.ts';
import { type ConfigFile, type DeclaredNode, readConfigFile, splitNodes } from '../../settings/index.ts';
import { type FileStore, sharedClusterPaths } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { listenForSignals } from '../base/signals.ts';
import { dryRunSuffix } from '../change/change-line.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { writePrinted } from '../output/paged-output.ts';
import { openView } from '../view/open-view.ts';
import { RunApi } from './api-beside.ts';
import { type ApplyPlan, choicesOfFlags, managerOfFlags, planApply } from './apply-input.ts';
import { type LoadedInput, loadOrExplain, manifestsToRun, type StandardInput } from './manifest-input.ts';
import type { ApplySession, FollowManifests } from './session.ts';
import { type CheckedManifests, storeAndRun } from './store-and-run.ts';

/** The parts that only some runs have. */
interface MoreOfRun {
  /** Follows the manifests while the run lasts. */
  readonly follow?: FollowManifests | undefined;
  /** Faults on purpose. `check` throws a PodrunError (usage) for a fault that this run cannot have. */
  readonly faults?:
    | (Faults & { check(planned: readonly PlannedPod[], network: string, nodes: readonly string[]): void })
    | undefined;
}

/**
 * Runs `podrun apply`. Returns the exit code.
 * @param stdin the manifests for `-`, when another verb has read standard input already
 * @param more the parts that only some runs have
 */
export async function apply(
  cli: Cli,
  flags: ApplyFlags,
  command: readonly string[] | undefined,
  stdin?: StandardInput,
  more: MoreOfRun = {},
): Promise<number> {
  const read = await readManifests(cli, flags, command, stdin);
  if (!read.ok) return read.exitCode;
  if (flags.dryRun !== 'none') return dryRunApply(cli, read, flags);
  const checked = { ...read, ...(await checkManifests(cli, flags, read)) };
  const exitCode = await checkLimits(cli, checked.planned, flags, read.config);
  return exitCode ?? runChecked(cli, flags, checked, more);
}

/** The manifests of an `apply`, with all that decides how they are read. */
interface ReadManifests {
  readonly ok: true;
  readonly plan: ApplyPlan;
  readonly config: ConfigFile | undefined;
  readonly store: FileStore;
  readonly choice: RuntimeChoice;
  readonly place: DetectionInput;
  /** Undefined: they are not needed yet. */
  readonly features: RuntimeFeatures | undefined;
  readonly isolation: Isolation & { readonly hasNamespaces: boolean };
  readonly objects: readonly ManifestObject[];
  /** The nodes of the manifests, in place of this machine. */
  readonly nodes: readonly DeclaredNode[];
  /** The objects that need an API server. */
  readonly needs: ApiNeeds;
  /** True: the run has an API server. */
  readonly hasApi: boolean;
}

/** Reads flags, podrun.yaml and manifests. Prints all mistakes. */
async function readManifests(
  cli: Cli,
  flags: ApplyFlags,
  command: readonly string[] | undefined,
  stdin: StandardInput | undefined,
): Promise<ReadManifests | Extract<LoadedInput, { ok: false }>> {
  const { clock, env } = cli;
  const plan = planApply(flags, command);
  const config = readConfigFile({ path: flags.config, cwd: cli.cwd });
  const store = openStore(cli);
  const choice = runtimeChoice({ flag: flags.runtime, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const place = { stateDir: store.root, clock: machineClock(clock), userPath: env['PATH'] };
  // --strict refuses fields without effect, so it waits until the features of this machine are known.
  const refusesWithoutEffect = flags.strict && flags.dryRun === 'none';
  const features = refusesWithoutEffect ? (await chooseRuntime(choice, place)).features : undefined;
  const network = networkOf({ network: flags.network, config });
  const hasNodes = (flags.nodes ?? config?.nodes?.length ?? 1) > 1;
  const hasPodNetwork = hasOwnNetworks(network);
  const isolation = { hasNamespaces: (features?.tier ?? choice) !== 'process', hasPodNetwork, hasNodes };
  const loaded = await loadOrExplain(cli, flags, isolation, stdin);
  if (!loaded.ok) return loaded;
  const { unread, hooks, warning, ...withoutHooks } = withoutHelmHooks(loaded, flags.helmHooks === true);
  if (warning !== undefined) cli.warn(warning);
  const objects = await managedManifests(withoutHooks.objects, managerOfFlags(flags), clock.now().wallMs);
  const { nodes, rest } = splitNodes(unread);
  const needs = apiNeeds(store, objects.length === 0 ? unread : rest, objects, hooks);
  const hasApi = flags.api ?? needs.isNeeded;
  for (const warning of unreadWarnings(needs, hasApi, flags.strict)) cli.warn(warning);
  const left = [objects, nodes, needs.first, needs.custom, hooks.preInstall, hooks.postInstall].flat();
  refuseNothingDefined({ undefinedKinds: needs.undefined.length, rest: left.length });
  return { ok: true, plan, config, store, choice, place, features, isolation, objects, nodes, needs, hasApi };
}

/** Refuses, before anything is stored, what cannot run as the flags ask. */
async function checkManifests(
  cli: Cli,
  flags: ApplyFlags,
  { plan, config, store, features, objects, nodes }: ReadManifests,
): Promise<CheckedManifests & { readonly choices: RunChoices }> {
  const toRun = await manifestsToRun(cli, flags, plan, objects);
  const chosen = choicesOfFlags(cli, flags, config);
  const declared = [...(chosen.nodes ?? config?.nodes ?? []), ...nodes];
  const choices = { ...chosen, ...(nodes.length > 0 && { nodes: declared }) };
  const sorted = sortByOwner(store, toRun);
  const planned = plannedPods([...sorted.own, ...sorted.ownWorkloads]);
  refuseSilentOwners(store, sorted.live);
  const all = objects.map(({ object }) => object);
  if (features !== undefined) refuseWithoutEffect(planned, { store, features, objects: all });
  return { ...sorted, expected: toRun.expected, choices, planned };
}

/** Chooses how this machine runs the checked Pods, opens the view, and runs them. Returns the exit code. */
async function runChecked(
  cli: Cli,
  flags: ApplyFlags,
  checked: ReadManifests & CheckedManifests & { readonly choices: RunChoices },
  { follow, faults }: MoreOfRun,
): Promise<number> {
  const { plan, config, store, choice, place, choices, pods, records, workloads, planned, expected } = checked;
  const isIdle = checked.own.length === 0 && checked.ownWorkloads.length === 0 && flags.staticPods === undefined;
  // Detecting the runtime takes time: it continues while Pods start, unless they may be refused for lack of namespaces.
  const runtime = chooseRuntime(isIdle ? 'process' : choice, place);
  if (choice === 'namespace') await runtime;
  const { networks, note } = isIdle ? NO_NETWORKS : await networksOf(flags, checked);
  if (flags.strict && !isIdle) refuseIdlePolicies(checked.objects, networks);
  // In the foreground, the live view has a line of its event.
  if (flags.detach && !isIdle) idlePolicies(checked.objects, networks).forEach((line) => cli.warn(line));
  const nodes = (choices.nodes ?? config?.nodes ?? []).map(({ name }) => name);
  faults?.check(planned, networks?.kind ?? 'host', nodes);
  const isRun = !isIdle && !flags.detach;
  const { needs, hasApi } = checked;
  const view = await openView({ cli, flags, isRun }, { pods, workloads, records }, store);
  if (note !== undefined) cli.note(note);
  const { crashLoop, jobBackOff } = plan;
  const settings = { ...runSettings({ ...choices, crashLoop, jobBackOff }), privateNetworks: networks };
  // A goal that includes Ready ends with what the server refuses.
  const tellsAtOnce = isRun && (plan.goal === undefined || !mustHold(plan.goal));
  const isBrief = isIdle && flags.creates === true;
  const beside = { cli, flags, store, view, timeoutMs: plan.timeoutMs, tellsAtOnce, isBrief };
  const api = hasApi ? new RunApi(needs, beside) : undefined;
  const common = { cli, flags, plan, store, view, settings, config, runtime, faults, api };
  const session: ApplySession = {
    ...common,
    services: serviceKeys(records),
    served: servedKeys(records),
    loose: new LooseEnds(store, checked.objects),
    planned,
    expected,
    follow: follow && ((running) => follow(session, { ...checked, running })),
  };
  try {
    return await storeAndRun(session, checked);
  } finally {
    await api?.close();
    // The detection tries namespaces: it must end, so that nothing of a trial is left.
    await runtime;
    view.close();
  }
}

/** The networks of a run without Pods of its own. */
const NO_NETWORKS: ChosenNetworks = { networks: undefined, note: undefined };

function networksOf(
  { detach }: ApplyFlags,
  { choices, isolation: { hasNamespaces }, objects, place }: ReadManifests & { readonly choices: RunChoices },
): Promise<ChosenNetworks> {
  const joinsCluster = detach && existsSync(sharedClusterPaths(place.stateDir).holder);
  const reason = joinsCluster ? BESIDE_OTHERS : undefined;
  return runNetworks(choices, { hasNamespaces, objects: objects.map(({ object }) => object), reason }, place);
}

/**
 * Checks, before anything starts, that podrun can enforce the limits of the Pods. If a systemd scope permits more
 * limits, runs this `apply` again in a scope and returns its exit code.
 * @throws {PodrunError} (usage) with --strict, when a limit cannot be enforced
 */
async function checkLimits(
  cli: Cli,
  pods: readonly PlannedPod[],
  flags: ApplyFlags,
  config: ConfigFile | undefined,
): Promise<number | undefined> {
  const open = openLimits(pods, config?.podPidsLimit, flags.enforceMemory === 'poll');
  if (open === undefined) return undefined;
  const exitCode = await runInScope({
    facts: {
      isRoot: process.getuid?.() === 0,
      canLimit: open.length === 0,
      hasReadInput: flags.filename.includes('-'),
      env: cli.env,
    },
    argv: [...cli.podrun, ...cli.line.argv],
    cwd: cli.cwd,
    interactive: cli.stdin.isTTY === true,
    onSignal: (forward) => void listenForSignals(cli, forward),
  });
  if (exitCode !== undefined) return exitCode;
  if (!flags.strict || open.length === 0) return undefined;
  throw limitsRefused(open);
}

/**
 * Prints the result of `--dry-run`: the objects of the manifests as podrun would store them, or a line for each object
 * about the change.
 * @throws {PodrunError} when the update rules forbid a change, or with `server`, admission forbids a new object
 */
function dryRunApply(
  cli: Cli,
  { objects, needs }: Pick<ReadManifests, 'objects' | 'needs'>,
  flags: ApplyFlags,
): number {
  const { dryRun, made = 'created' } = flags;
  const { first, custom, hooks } = needs;
  const unread = [...hooks.preInstall, ...first, ...custom, ...hooks.postInstall].map(({ object }) => object);
  const printer = flags.output === 'text' ? undefined : objectPrinter(cli, flags);
  const store = openStore(cli);
  const existing = objects.filter((manifest) => isThere(store, manifest));
  checkChanges(store, existing, cli.warn);
  // A server admits what it would create. Without one, the object is as the manifest says.
  const result = (manifest: ManifestObject): KubeObject =>
    dryRun === 'server' && !existing.includes(manifest) ? newObject(store, manifest.object) : manifest.object;
  if (printer !== undefined && objects.length + unread.length > 0) {
    const printed = [...objects.map(result), ...unread];
    const [only] = printed;
    writePrinted(cli.stdout, () => printer.print(only !== undefined && printed.length === 1 ? only : listOf(printed)));
    return EXIT.ok;
  }
  for (const manifest of objects) {
    const isChange = existing.includes(manifest);
    if (!isChange) result(manifest);
    const operation = isChange ? configureObject(store, manifest, { isDryRun: true, warn: cli.warn }) : made;
    cli.tell(`${renderObject(manifest.object, 'name').trim()} ${operation}${dryRunSuffix(dryRun)}\n`);
  }
  for (const object of unread) cli.tell(`${renderObject(object, 'name').trim()} ${made}${dryRunSuffix(dryRun)}\n`);
  return EXIT.ok;
}

/** True when `apply` would change the object instead of creating it. Pods and Jobs that have ended are replaced. */
function isThere(store: FileStore, manifest: ManifestObject): boolean {
  return manifest.object.kind === 'Pod'
    ? hasLiveOwner(store, manifest.object as unknown as StoredPod)
    : recordOf(store, manifest) !== undefined && replacedJob(store, manifest) === undefined;
}
