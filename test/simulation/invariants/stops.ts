import { isSidecar } from '../../../src/api/base/objects.ts';
import { type Chronicle } from '../scenario/chronicle.ts';
import { type Killing, type Life, lives } from '../scenario/life.ts';
import type { Entry } from '../scenario/entry.ts';

/** Least time between the stop signal and the kill. Source: kuberuntime_container.go minimumGracePeriodInSeconds. */
const LEAST_MS = 2000;

/** The instance that this entry signals or kills. */
function hit(entry: Entry, past: Chronicle, what: 'signal' | 'kill'): Life | undefined {
  return entry.type === 'machine' && entry.entry.what === what ? past.life(entry.entry.id) : undefined;
}

/** The reason and the beginning of a stop, alone or with the Pod. */
interface StopCause {
  readonly sinceMs: number;
  readonly graceMs: number;
}

/** The grace period of a container that is stopped alone. Source: setTerminationGracePeriod. */
function ownGraceMs({ message, deletionGraceSeconds }: Killing, life: Life, past: Chronicle): number {
  if (message === 'killing') return 0;
  if (deletionGraceSeconds !== undefined) return deletionGraceSeconds * 1000;
  const { livenessProbe, startupProbe } = past.container(life.container);
  const probe = message.includes('liveness') ? livenessProbe : message.includes('startup') ? startupProbe : undefined;
  const seconds = probe?.terminationGracePeriodSeconds ?? past.spec.terminationGracePeriodSeconds ?? 30;
  return seconds * 1000;
}

function causesOf(life: Life, past: Chronicle): StopCause[] {
  const alone = life.killings
    .filter(({ message }) => !message.startsWith('Stopping'))
    .map((killing) => ({ sinceMs: killing.atMs, graceMs: ownGraceMs(killing, life, past) }));
  const { ending } = past;
  const podKilling = life.killings.find(({ message }) => message.startsWith('Stopping'));
  // A Pod that was removed by force has no event for the stop, nor has a container that is already being stopped.
  const hasNoEvent = past.isRemoved || alone.length > 0;
  const killingMs = podKilling?.atMs ?? (hasNoEvent ? ending?.sinceMs : undefined);
  if (ending === undefined || killingMs === undefined) return alone;
  const requests = ending.requests.map(({ atMs, graceMs }) => ({ sinceMs: Math.max(killingMs, atMs), graceMs }));
  return [...alone, ...requests];
}

/** Every stop has an event. Source: kuberuntime_container.go killContainer. */
export function everyStopHasAnEvent(entry: Entry, past: Chronicle): string | undefined {
  const life = hit(entry, past, 'signal') ?? hit(entry, past, 'kill');
  // A removed Pod gets no events.
  if (past.isRemoved) return undefined;
  return life === undefined || life.killings.length > 0 ? undefined : `${life.id} without an event`;
}

/**
 * SIGKILL comes at the end of the grace period, not before, unless by force. Source: killContainer; CRI StopContainer.
 */
export function killWaitsForGrace(entry: Entry, past: Chronicle): string | undefined {
  const life = hit(entry, past, 'kill');
  if (life === undefined || past.ending?.forcedAtMs !== undefined) return undefined;
  const dueMs = Math.min(...causesOf(life, past).map(({ sinceMs, graceMs }) => sinceMs + graceMs));
  if (entry.atMs < dueMs) return `${life.id} ${dueMs - entry.atMs} ms too early`;
  if (life.signalledAtMs === undefined) return `${life.id} without a stop signal`;
  const leftMs = life.signalledAtMs + LEAST_MS - entry.atMs;
  return leftMs > 0 ? `${life.id} ${leftMs} ms too soon after its stop signal` : undefined;
}

/** No container outlives the grace period by more than the minimum of two seconds. Source: lifecycle of a stop. */
export function graceIsNotExceeded(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled') return undefined;
  const late = past.lives.find((life) => {
    if (!lives(life)) return false;
    const causes = causesOf(life, past);
    // Whole seconds of the hook and the wait are deducted: each may leave almost a second.
    const dueMs = Math.min(...causes.map(({ sinceMs, graceMs }) => Math.max(sinceMs, life.runningAtMs ?? 0) + graceMs));
    return entry.atMs > dueMs + LEAST_MS + 2000;
  });
  return late === undefined ? undefined : `${late.id} lives on`;
}

/** Force kills at once. */
export function forceIsAtOnce(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.ending?.forcedAtMs === undefined) return undefined;
  const left = past.lives.find(lives);
  return left === undefined ? undefined : `${left.id} lives on`;
}

/** The stop signal is sent once. Source: CRI StopContainer. */
export function oneStopSignal(entry: Entry, past: Chronicle): string | undefined {
  const life = hit(entry, past, 'signal');
  return life !== undefined && life.signalledAtMs !== entry.atMs ? `${life.id} was signalled again` : undefined;
}

/** The stop signal is the container's. Source: KEP-4960. */
export function stopSignalIsTheContainers(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'machine' || entry.entry.what !== 'signal') return undefined;
  const wanted = past.container(entry.entry.name).lifecycle?.stopSignal ?? 'SIGTERM';
  return entry.entry.signal === wanted ? undefined : `${entry.entry.id} got ${entry.entry.signal}, not ${wanted}`;
}

/** SIGKILL is sent once. */
export function oneKill(entry: Entry, past: Chronicle): string | undefined {
  const life = hit(entry, past, 'kill');
  return life !== undefined && life.killedAtMs !== entry.atMs ? `${life.id} was killed again` : undefined;
}

/** The stop signal waits for the preStop hook, within the grace period. Source: killContainer. */
export function stopSignalWaitsForPreStop(entry: Entry, past: Chronicle): string | undefined {
  const life = hit(entry, past, 'signal');
  if (life === undefined) return undefined;
  const causes = causesOf(life, past);
  const overMs = Math.min(...causes.map(({ sinceMs, graceMs }) => sinceMs + graceMs));
  if (entry.atMs >= overMs) return undefined;
  const { preStop } = past.container(life.container).lifecycle ?? {};
  if (preStop?.exec !== undefined) {
    const hook = life.commands.find(({ purpose }) => purpose === 'preStop');
    if (hook === undefined) return `${life.id} without its preStop hook`;
    return hook.endedAtMs === undefined ? `${life.id} while its preStop hook runs` : undefined;
  }
  const slept = entry.atMs - Math.min(...causes.map(({ sinceMs }) => sinceMs));
  return slept < (preStop?.sleep?.seconds ?? 0) * 1000 ? `${life.id} before its preStop sleep was over` : undefined;
}

/**
 * A sidecar of a terminating Pod gets its stop signal when the last main container and every later sidecar have ended,
 * or when the grace period is over. Source: kuberuntime_termination_order.go; KEP-753.
 */
export function sidecarsStopLast(entry: Entry, past: Chronicle): string | undefined {
  const life = hit(entry, past, 'signal');
  if (life === undefined || past.ending === undefined) return undefined;
  const init = past.spec.initContainers ?? [];
  const index = init.findIndex(({ name }) => name === life.container);
  if (index < 0 || !isSidecar(init[index]!)) return undefined;
  // A container that was already being stopped alone has its own grace period.
  if (life.killings.some(({ message }) => !message.startsWith('Stopping'))) return undefined;
  const overMs = Math.min(...causesOf(life, past).map(({ sinceMs, graceMs }) => sinceMs + graceMs));
  if (entry.atMs >= overMs) return undefined;
  const later = [...past.spec.containers, ...init.slice(index + 1).filter(isSidecar)];
  const alive = later.find(({ name }) => past.livesOf(name).some((other) => lives(other)));
  return alive === undefined ? undefined : `${life.id} while ${alive.name} runs`;
}

/**
 * A Pod that keeps running stops a container only for a reason: its event names the restart. Source:
 * kuberuntime_manager.go computePodActions.
 */
export function stopsHaveACause(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'event' || entry.event.reason !== 'Killing') return undefined;
  const { message = '' } = entry.event;
  if (message.startsWith('Stopping')) return past.ending === undefined ? 'nobody ended the Pod' : undefined;
  if (message === 'killing') return past.restartsAll ? undefined : 'no rule restarts all containers';
  // A terminating Pod aborts running hooks, which count as failed.
  if (message === 'FailedPostStartHook') return undefined;
  return past.ending === undefined ? undefined : `"${message}" in a Pod that is being ended`;
}
