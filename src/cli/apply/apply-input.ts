import { resolve } from 'node:path';
import { requestedIngressPorts } from '../../network/index.ts';
import {
  type ConfigFile,
  type DeclaredNode,
  imageSource,
  makeImageMap,
  NODES_MAX,
  nodesAlike,
  readCredentialProviders,
} from '../../settings/index.ts';
import type { RunChoices } from '../../engine/index.ts';
import type { ManifestManager } from '../../apiserver/index.ts';
import type { Cli } from '../base/cli.ts';
import {
  ALL_READY,
  goalsOf,
  mustHold,
  parseRunGoal,
  type RunGoal,
  unknownCondition,
  UP,
} from '../../controllers/index.ts';

import { type BackOffLimits, type GoalRules, type Root, SETTLE_MS } from '../../lifecycle/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import { durationFlag, settleFlag, usageOf } from '../flags/options.ts';
import { usage } from '../../api/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';

/** The parsed command line of `apply`. */
export interface ApplyPlan {
  readonly goal: RunGoal | undefined;
  readonly rules: GoalRules;
  readonly timeoutMs: number | undefined;
  readonly crashLoop: BackOffLimits;
  readonly jobBackOff: BackOffLimits;
  readonly command: readonly [string, ...string[]] | undefined;
}

/** @throws {PodrunError} (usage) when a flag makes no sense */
export function planApply(flags: ApplyFlags, command: readonly string[] | undefined): ApplyPlan {
  if (flags.kustomize !== undefined && flags.filename.length > 0) {
    throw usageOf('apply', 'only one of -f or -k can be specified');
  }
  if (flags.filename.length === 0 && flags.kustomize === undefined && flags.staticPods === undefined) {
    throw usageOf('apply', 'a manifest is missing: podrun apply pod.yaml');
  }
  const isForRuns = flags.template === undefined && [undefined, 'text', 'json'].includes(flags.output);
  if (flags.dryRun === 'none' && !isForRuns) {
    const format = flags.output === undefined ? '--template' : `-o ${flags.output}`;
    throw usage(`${format} needs --dry-run`, 'podrun apply prints text, or with -o json a stream of watch events.');
  }
  refuseIdleManager(flags);
  refuseHooksWithoutApi(flags);
  if (flags.annotations === 'github' && flags.output !== undefined && flags.output !== 'text') {
    throw usage(
      `--annotations github and -o ${flags.output} cannot be used together`,
      'GitHub annotations are lines of the text output.',
    );
  }
  if (flags.strict && flags.bestEffort) {
    throw usage(
      '--strict and --best-effort cannot be used together',
      '--strict refuses Pods with fields without effect; --best-effort starts them without their security settings.',
    );
  }
  if (flags.wait && !flags.detach) {
    throw usage('--wait needs --detach', 'In the foreground, --until ready ends the Pods when they are Ready.');
  }
  if (flags.staticPods !== undefined && (flags.detach || flags.dryRun !== 'none')) {
    throw usage(
      `--static-pods cannot be used with ${flags.detach ? '--detach' : '--dry-run'}`,
      'podrun follows the folder as long as it runs in the foreground.',
    );
  }
  if (flags.report !== undefined && (flags.detach || flags.dryRun !== 'none')) {
    throw usage(
      `--report cannot be used with ${flags.detach ? '--detach' : '--dry-run'}`,
      'A report covers Pods that run in the foreground. For other Pods, use podrun timeline POD -o html.',
    );
  }
  if (flags.expect !== undefined && (flags.detach || flags.dryRun !== 'none')) {
    throw usage(
      `--expect cannot be used with ${flags.detach ? '--detach' : '--dry-run'}`,
      '--expect checks Pods that run in the foreground. For other Pods, use podrun expect FILE.',
    );
  }
  const crashLoop = {
    initialMs: positive('--backoff-initial', flags.backoffInitial),
    maxMs: positive('--backoff-max', flags.backoffMax),
  };
  const jobBackOff = {
    initialMs: positive('--job-backoff-initial', flags.jobBackoffInitial),
    maxMs: positive('--job-backoff-max', flags.jobBackoffMax),
  };
  const [program, ...args] = command ?? [];
  if (command !== undefined && program === undefined) {
    throw usage('there is no command after --');
  }
  const goal = goalOf(flags, program !== undefined);
  return {
    goal,
    rules: readRules(flags, goal),
    timeoutMs: flags.timeout === undefined ? undefined : positive('--timeout', flags.timeout),
    crashLoop,
    jobBackOff,
    command: program === undefined ? undefined : [program, ...args],
  };
}

/** Source: k8s.io/kubectl/pkg/cmd/apply/apply.go, Validate. */
function refuseIdleManager({ serverSide, forceConflicts, dryRun, watch, context, kubeconfig }: ApplyFlags): void {
  if (forceConflicts === true && serverSide !== true) throw usage('--force-conflicts only works with --server-side');
  if (serverSide !== true) return;
  if (dryRun === 'client')
    throw usage("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)");
  const other = watch === true ? '--watch' : (context ?? kubeconfig) === undefined ? undefined : '--context';
  if (other !== undefined) throw usage(`--server-side cannot be used with ${other}`);
}

function refuseHooksWithoutApi({ helmHooks, api }: ApplyFlags): void {
  if (helmHooks !== true || api !== false) return;
  throw usage('--helm-hooks cannot be used with --no-api', 'Hooks are run by a client of the API, as helm is one.');
}

/** The manager of an apply with `--server-side` or `--field-manager`. */
export function managerOfFlags({ serverSide, fieldManager, forceConflicts }: ApplyFlags): ManifestManager | undefined {
  if (serverSide !== true && fieldManager === undefined) return undefined;
  const isServerSide = serverSide === true;
  const name = fieldManager ?? 'kubectl';
  return { name, isServerSide, isForced: forceConflicts === true };
}

/** The goal of the Pods. Objects that a run waits for beside them depend on Pods that are Ready. */
function goalOf(flags: ApplyFlags, hasCommand: boolean): RunGoal | undefined {
  if (flags.until.length > 0) return readGoal(flags.until);
  if (hasCommand) return UP;
  // A wait for background Pods needs Pods that are Ready: some of these Pods may never end.
  const isForReady = flags.wait || (flags.detach && flags.timeout !== undefined);
  return isForReady || flags.awaited !== undefined ? ALL_READY : undefined;
}

/** @throws {PodrunError} (usage) for rules of a goal without such a goal */
function readRules({ settle, allowRestarts }: ApplyFlags, goal: RunGoal | undefined): GoalRules {
  const settleMs = settleFlag(settle);
  const rule = allowRestarts ? '--allow-restarts' : settleMs === SETTLE_MS ? undefined : '--settle';
  if (rule === undefined || (goal !== undefined && mustHold(goal))) return { settleMs, allowRestarts };
  throw usage(
    `${rule} needs a goal that includes Ready`,
    'Use it with --until ready, with --detach --wait, or with a COMMAND.',
  );
}

function readGoal(texts: readonly string[]): RunGoal {
  const goal = parseRunGoal(texts);
  if (goal !== undefined) return goal;
  const wrong = texts.find((text) => parseRunGoal([text]) === undefined);
  throw usage(
    `invalid --until ${JSON.stringify(wrong)}`,
    'Use ready, up, available, complete, failed, or the type of a condition, perhaps with =True, =False or =Unknown.',
  );
}

function positive(flag: string, text: string): number {
  const ms = durationFlag(flag, text);
  if (ms > 0) return ms;
  throw usage(`${flag} must be longer than 0`);
}

/**
 * Refuses a goal that none of the objects can reach, and a condition that none of them can have.
 * @throws {PodrunError} (usage)
 */
export function refuseIdleGoal({ goal }: ApplyPlan, until: readonly string[], roots: readonly ManifestObject[]): void {
  const objects = roots.map(({ object }) => object as Root['object']);
  if (goal === undefined || objects.length === 0) return;
  const unknown = unknownCondition(goal, objects);
  if (unknown !== undefined) {
    const { condition, meant } = unknown;
    throw usage(
      `--until ${condition}: no object has a condition ${condition}`,
      meant === undefined
        ? 'A condition of another program is in the readinessGates of the Pod, or has a name such as example.com/warm.'
        : `Did you mean ${meant}?`,
    );
  }
  if (objects.some((object) => goalsOf(goal, object).length > 0)) return;
  const kinds = [...new Set(objects.map(({ kind }) => kind))];
  throw usage(
    `--until ${until.join(' --until ')}: no ${kinds.join(' or ')} can reach this goal`,
    'Pods and Jobs can be complete or failed. All kinds can be ready or available.',
  );
}

/**
 * The choices that flags and podrun.yaml make for a run.
 * @throws {PodrunError} (usage) when one of them makes no sense
 */
export function choicesOfFlags({ env, cwd }: Cli, flags: ApplyFlags, config: ConfigFile | undefined): RunChoices {
  return {
    config,
    cwd,
    env,
    images: makeImageMap(flags.image, config),
    imageSource: imageSource({ flag: flags.images, variable: env['PODRUN_IMAGES'], file: config?.imageSource }),
    providers: readCredentialProviders(flags, cwd),
    network: flags.network,
    proxy: flags.proxy,
    egress: flags.egress,
    hasHostAccess: flags.networkHostAccess,
    ingressPorts: requestedIngressPorts(flags.ingressPort, config?.ingressPort),
    pollsMemory: flags.enforceMemory === 'poll',
    isolates: flags.isolate,
    nodes: nodesOfFlags(flags),
    overcommits: flags.overcommit || config?.overcommit === true,
    strictPid1: flags.strictPid1,
    seccompRoot: flags.seccompRoot && resolve(cwd, flags.seccompRoot),
    isBestEffort: flags.bestEffort,
    speed: flags.speed,
    awaitsClient: flags.awaitsClient === true,
  };
}

/**
 * The nodes of `--nodes` and `--zones`. Undefined: podrun.yaml decides.
 * @throws {PodrunError} (usage) for numbers that make no sense
 */
export function nodesOfFlags({ nodes, zones }: Pick<ApplyFlags, 'nodes' | 'zones'>): DeclaredNode[] | undefined {
  if (nodes === undefined && zones !== undefined) throw usage('--zones needs --nodes');
  if (nodes === undefined) return undefined;
  if (nodes < 1 || nodes > NODES_MAX) throw usage(`--nodes must be a number from 1 to ${NODES_MAX}, not ${nodes}`);
  return nodesAlike(nodes, zones ?? 0);
}
