import { allContainers, type Container, type Instant, type PodSpec, type StoredPod } from '../api/index.ts';
import { type Effect, eventEffect, type Step } from './base/effects.ts';
import {
  type ContainerFacts,
  containerFacts,
  type Exit,
  type Instance,
  isHookUnderWay,
  type PodFacts,
  type StartError,
  type Starting,
  type Stop,
  terminationOf,
  withContainer,
} from './base/facts.ts';
import type {
  Exited,
  HookReturned,
  ImageSeen,
  Observation,
  ProbeTurned,
  RestartRequest,
  StartFailed,
  TerminateRequest,
} from './observation.ts';
import { ensuredImage } from './plan/image-pull.ts';
import { restartsAll } from './base/restart-policy.ts';
import { sandboxAfter } from './base/sandbox.ts';
import { containerGraceMs, hasPreStop, preStopReturned, requestStop, shortenStop } from './plan/stop.ts';
import type { Termination } from './base/termination.ts';
import {
  created,
  failed,
  failedPostStartHook,
  failedPreStopHook,
  killing,
  started as startedEvent,
} from './texts/events.ts';
import { HOOK_FAILED, programChanged, RESTART_ASKED } from './texts/killing.ts';
import { HOOK_CUT_SHORT, TERMINATED, WAITING } from './texts/container-states.ts';

/** The time that a program has to end before its restart in place. */
const RESTART_MS = 500;
/** The delay before a container with a wrong configuration is tried again for the first time. */
const FIRST_CONFIG_RETRY_MS = 500;
/** The delay before each further attempt. The kubelet takes 10 to 15 s. */
const CONFIG_RETRY_MS = 10_000;

/**
 * Adds an observation to the facts. Decides only immediate consequences. An observation about an instance that is no
 * longer the newest changes nothing.
 */
export function observe(pod: StoredPod, facts: PodFacts, seen: Observation, now: Instant): Step {
  switch (seen.type) {
    case 'sandboxReady':
      return { facts: sandboxReady(facts, seen.podIP), effects: [] };
    case 'sandboxStopped':
      return { facts: { ...facts, sandbox: sandboxAfter(facts.sandbox, 'stopped') }, effects: [] };
    case 'terminate':
      return { facts: terminated(facts, seen, now), effects: [] };
    case 'storageMeasured':
      return { facts: { ...facts, storage: seen.usage }, effects: [] };
    case 'evicted':
      return { facts: { ...facts, eviction: seen.eviction }, effects: [] };
    case 'started':
      return started(pod, facts, seen);
    case 'imageSeen':
      return imageSeen(facts, seen, now);
    case 'startFailed':
      return startFailed(pod, facts, seen);
    case 'exited':
      return exited(pod, facts, seen);
    case 'swept':
      return { facts: swept(facts, seen), effects: [] };
    case 'hookReturned':
      return seen.hook === 'postStart' ? postStartReturned(pod, facts, seen, now) : stopHookReturned(facts, seen, now);
    case 'restart':
      return restarted(facts, seen, now);
    case 'probeTurned':
      return { facts: probeTurned(facts, seen), effects: [] };
    default:
      return seen satisfies never;
  }
}

/** The former agent of a Pod that is taken over may have died before it wrote down the address. */
function sandboxReady(facts: PodFacts, podIP: string | undefined = facts.podIP): PodFacts {
  const sandbox = sandboxAfter(facts.sandbox, 'created');
  const isKnown = sandbox === facts.sandbox && (sandbox !== 'ready' || podIP === facts.podIP);
  return isKnown ? facts : { ...facts, sandbox, podIP };
}

function started(pod: StoredPod, facts: PodFacts, seen: Extract<Observation, { type: 'started' }>): Step {
  const { container: name, id, at: startedAt, user } = seen;
  const own = containerFacts(facts, name);
  if (own.starting?.id !== id || own.starting.stage !== 'creating') return { facts, effects: [] };
  const starting = { ...own.starting, user };
  const effects: Effect[] = [eventEffect(created(name)), eventEffect(startedEvent(name))];
  // A terminating Pod runs no hook: the container is shown as running and stopped at once.
  if (containerSpec(pod, name).lifecycle?.postStart === undefined || terminationOf(facts) !== undefined) {
    return { facts: withContainer(facts, name, startFinished(pod, name, own, { starting, startedAt })), effects };
  }
  return {
    facts: withContainer(facts, name, { starting: { ...starting, stage: 'postStart', startedAt } }),
    effects: [...effects, { type: 'runPostStart', container: name, id }],
  };
}

function imageSeen(facts: PodFacts, { need, ensured }: ImageSeen, now: Instant): Step {
  const { container: name, volume = '' } = need;
  const { ensuring, imageBackOff, triedImage } = containerFacts(facts, name);
  // The container may have got another image meanwhile.
  const isAwaited = ensuring?.pending === volume && (volume !== '' || triedImage === need.image);
  if (!isAwaited || terminationOf(facts) !== undefined) {
    return { facts: withContainer(facts, name, { ensuring: undefined }), effects: [] };
  }
  const step = ensuredImage(need, ensured, imageBackOff, now.monotonicMs);
  const { effects } = step;
  if (step.type === 'ready') {
    const ready = [...ensuring.ready, volume];
    const news = volume === '' && 'image' in ensured ? { foundImage: ensured.image } : {};
    return { facts: withContainer(facts, name, { ensuring: { ready, pending: undefined }, ...news }), effects };
  }
  const { startError } = step;
  const change = { ensuring: undefined, startError, imageBackOff: step.imageBackOff };
  return { facts: withContainer(facts, name, change), effects };
}

function startFailed(pod: StoredPod, facts: PodFacts, seen: StartFailed): Step {
  const { container: name, message } = seen;
  const own = containerFacts(facts, name);
  if (own.starting?.id !== seen.id) return { facts, effects: [] };
  const failure = eventEffect(failed(name, message));
  if (seen.stage !== 'start') {
    const reason = seen.stage === 'config' ? WAITING.createContainerConfigError : WAITING.createContainerError;
    const retryMs = own.startError?.reason === reason ? CONFIG_RETRY_MS : FIRST_CONFIG_RETRY_MS;
    const startError = { reason, message, retryAtMs: seen.at.monotonicMs + retryMs };
    return { facts: withContainer(facts, name, { starting: undefined, startError }), effects: [failure] };
  }
  const exit: Exit = { exitCode: 128, reason: TERMINATED.startError, message, at: seen.at };
  const change = startFinished(pod, name, own, { starting: own.starting, startedAt: undefined, exit, swept: true });
  const startError = { reason: WAITING.runContainerError, message, retryAtMs: undefined };
  const next = withContainer(facts, name, { ...change, startError });
  return { facts: ruleApplied(pod, next, name, exit), effects: [eventEffect(created(name)), failure] };
}

function exited(pod: StoredPod, facts: PodFacts, seen: Exited): Step {
  const { container: name, id } = seen;
  const own = containerFacts(facts, name);
  const exit: Exit = {
    exitCode: seen.exitCode,
    reason: exitReason(seen),
    message: seen.message,
    at: seen.at,
  };
  const { starting } = own;
  if (starting?.id === id) {
    const startedAt = starting.stage === 'creating' ? undefined : starting.startedAt;
    const change = startFinished(pod, name, own, { starting, startedAt, exit });
    // The container has exited while its postStart hook ran: the hook has failed.
    const failure = starting.stage === 'postStart' ? hookFailure(name, HOOK_CUT_SHORT) : undefined;
    const hookError = starting.stage === 'postStartFailed' ? starting.hookError : failure?.hookError;
    const startError = hookError ?? own.startError;
    const next = withContainer(facts, name, { ...change, startError });
    return { facts: ruleApplied(pod, next, name, exit), effects: failure?.effects ?? [] };
  }
  if (own.current?.id !== id || own.current.exit !== undefined) return { facts, effects: [] };
  const next = withContainer(facts, name, { current: { ...own.current, exit } });
  return { facts: ruleApplied(pod, next, name, exit), effects: [] };
}

/**
 * Applies a RestartAllContainers rule. The rule looks only at the exit code: failed starts and killed containers have
 * an exit code, too. Source: pkg/kubelet/container/helpers.go ShouldAllContainersRestart.
 */
function ruleApplied(pod: StoredPod, facts: PodFacts, name: string, { exitCode }: Exit): PodFacts {
  if (terminationOf(facts) !== undefined || facts.restartingAll !== undefined) return facts;
  return restartsAll(containerSpec(pod, name), exitCode) ? { ...facts, restartingAll: { trigger: name } } : facts;
}

function exitReason({ oomKilled, exitCode }: Exited): Exit['reason'] {
  if (oomKilled) return TERMINATED.oomKilled;
  return exitCode === 0 ? TERMINATED.completed : TERMINATED.error;
}

function swept(facts: PodFacts, seen: { readonly container: string; readonly id: string }): PodFacts {
  const { current } = containerFacts(facts, seen.container);
  if (current?.id !== seen.id) return facts;
  return withContainer(facts, seen.container, { current: { ...current, swept: true } });
}

function postStartReturned(pod: StoredPod, facts: PodFacts, seen: HookReturned, now: Instant): Step {
  const { container: name } = seen;
  const own = containerFacts(facts, name);
  const { starting } = own;
  if (starting?.id !== seen.id || starting.stage !== 'postStart') return { facts, effects: [] };
  if (seen.error === undefined) {
    const change = startFinished(pod, name, own, { starting, startedAt: starting.startedAt });
    return { facts: withContainer(facts, name, change), effects: [] };
  }
  const { hookError, effects } = hookFailure(name, seen.error);
  const request = {
    graceMs: containerGraceMs(pod, undefined),
    hasPreStop: hasPreStop(containerSpec(pod, name)),
    purpose: 'end',
  } as const;
  // Keep the stop that a RestartAllContainers rule has begun.
  const stop = starting.stop ?? requestStop(request, now);
  const failedStart: Starting = { ...starting, stage: 'postStartFailed', stop, hookError };
  return { facts: withContainer(facts, name, { starting: failedStart }), effects };
}

function hookFailure(name: string, message: string): { hookError: StartError; effects: Effect[] } {
  return {
    hookError: { reason: WAITING.postStartHookError, message, retryAtMs: undefined },
    effects: [eventEffect(failedPostStartHook(name)), eventEffect(killing(name, HOOK_FAILED))],
  };
}

function stopHookReturned(facts: PodFacts, seen: HookReturned, now: Instant): Step {
  const { container: name, id } = seen;
  const effects = seen.error === undefined ? [] : [eventEffect(failedPreStopHook(name))];
  return {
    facts: changeStop(facts, name, id, (stop) => preStopReturned(stop, now.monotonicMs)),
    effects,
  };
}

/** Changes the stop of an instance. Does nothing when the instance is not being stopped. */
function changeStop(facts: PodFacts, name: string, id: string, change: (stop: Stop) => Stop): PodFacts {
  const { starting, current } = containerFacts(facts, name);
  if (starting?.id === id && starting.stop !== undefined) {
    return withContainer(facts, name, { starting: { ...starting, stop: change(starting.stop) } });
  }
  if (current?.id === id && current.stop !== undefined && current.exit === undefined) {
    return withContainer(facts, name, { current: { ...current, stop: change(current.stop) } });
  }
  return facts;
}

/**
 * Stops the containers for a restart, and ends their back-offs. A person waits for it: the program has half a second to
 * end, and no preStop hook runs. podrun's own: no node restarts containers for this.
 */
function restarted(facts: PodFacts, { containers, isByUser = false }: RestartRequest, now: Instant): Step {
  const effects: Effect[] = [];
  let next = facts;
  for (const name of terminationOf(facts) === undefined ? containers : []) {
    const { current } = containerFacts(facts, name);
    const isStopped = current === undefined || current.exit !== undefined || current.stop !== undefined;
    const request = { graceMs: RESTART_MS, leastMs: RESTART_MS, hasPreStop: false, purpose: 'restart' } as const;
    if (!isStopped) effects.push(eventEffect(killing(name, isByUser ? RESTART_ASKED : programChanged(name))));
    next = withContainer(next, name, {
      backOff: undefined,
      startError: undefined,
      ...(isStopped ? {} : { current: { ...current, stop: requestStop(request, now) } }),
    });
  }
  return { facts: next, effects };
}

function probeTurned(facts: PodFacts, seen: ProbeTurned): PodFacts {
  const own = containerFacts(facts, seen.container);
  if (own.current?.id !== seen.id || own.starting !== undefined) return facts;
  // While a Pod terminates, startup and liveness results only end their probes: they do not make a container ready.
  if (terminationOf(facts) !== undefined && seen.probe !== 'readiness') return facts;
  return withContainer(facts, seen.container, { probes: { ...own.probes, [seen.probe]: seen.success } });
}

/**
 * Records a request to terminate. Only force aborts a postStart hook: any other request waits until the current starts
 * are over. Source: pkg/kubelet/pod_workers.go UpdatePod; kuberuntime_container.go startContainer, which runs the hook
 * without the context that is cancelled.
 */
function terminated(facts: PodFacts, seen: TerminateRequest, now: Instant): PodFacts {
  const { ending } = facts;
  const known = ending.stage === 'none' ? undefined : ending.termination;
  const { cause, graceSeconds, force, phase } = seen;
  const begun: Termination = { cause, since: now, graceSeconds, force, phase };
  const termination = known === undefined ? begun : shortened(known, seen);
  const isAtOnce = seen.force || seen.breaksOffHook === true || termination.phase !== undefined;
  if (ending.stage !== 'terminating' && !isAtOnce && isHookUnderWay(facts)) {
    return { ...facts, ending: { stage: 'requested', termination } };
  }
  let next: PodFacts = { ...facts, ending: { stage: 'terminating', termination } };
  if (known === undefined || termination.graceSeconds === known.graceSeconds) return next;
  for (const [name, own] of Object.entries(facts.containers)) {
    const id = own.starting?.id ?? own.current?.id;
    if (id === undefined) continue;
    next = changeStop(next, name, id, (stop) => shortenStop(stop, termination.graceSeconds * 1000, now.monotonicMs));
  }
  return next;
}

/** Merges a second request, which can only shorten the termination. */
function shortened(known: Termination, { graceSeconds, force, phase }: TerminateRequest): Termination {
  return {
    ...known,
    graceSeconds: Math.min(known.graceSeconds, graceSeconds),
    force: known.force || force,
    phase: known.phase ?? phase,
  };
}

/** The end of a start: the container runs, or has ended already, or could not be started. */
type ObservedStart = { readonly starting: Starting; readonly swept?: boolean } & (
  | { readonly startedAt: Instant; readonly exit?: undefined }
  | { readonly startedAt: Instant | undefined; readonly exit: Exit }
);

/**
 * Ends a start: the started instance becomes the newest, and the newest the previous one. podrun keeps two instances,
 * as the kubelet keeps one dead container beside the living one.
 */
function startFinished(
  pod: StoredPod,
  name: string,
  own: ContainerFacts,
  outcome: ObservedStart,
): Partial<ContainerFacts> {
  const { starting, swept: isSwept = false, ...times } = outcome;
  const { image = '', resources } = containerSpec(pod, name);
  const { id, attempt, stop, user } = starting;
  const foundImage = own.triedImage === image ? own.foundImage : undefined;
  const known = { image, foundImage, user, resources, podResources: pod.spec.resources };
  const current: Instance = { id, attempt, ...known, stop, swept: isSwept, exit: undefined, ...times };
  return {
    starting: undefined,
    current,
    previous: own.current?.exit === undefined ? undefined : own.current,
    nextAttempt: starting.attempt + 1,
    startError: undefined,
    probes: {},
    ...(own.current === undefined ? {} : { removed: undefined }),
  };
}

/** Caches the containers of each spec by name. */
const byName = new WeakMap<PodSpec, ReadonlyMap<string, Container>>();

/** The spec of a container of the Pod: init, regular or ephemeral. */
export function containerSpec(pod: StoredPod, name: string): Container {
  let containers = byName.get(pod.spec);
  if (containers === undefined) {
    containers = new Map(allContainers(pod.spec).map((container) => [container.name, container]));
    byName.set(pod.spec, containers);
  }
  const container = containers.get(name);
  if (container === undefined) throw new Error(`Pod ${pod.metadata.name} has no container ${name}`);
  return container;
}
