import { type Chronicle, containerOf } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

const KNOWN = new Set([
  'Scheduled',
  'FailedScheduling',
  'Pulling',
  'Pulled',
  'Failed',
  'BackOff',
  'Created',
  'Started',
  'Killing',
  'Unhealthy',
  'ProbeWarning',
  'FailedPostStartHook',
  'FailedPreStopHook',
  'FailedCreatePodSandBox',
  'DeadlineExceeded',
]);

/** Reasons are the kubelet's. Source: pkg/kubelet/events/event.go. */
export function eventReasonsAreKnown(entry: Entry): string | undefined {
  return entry.type !== 'event' || KNOWN.has(entry.event.reason ?? '') ? undefined : `${entry.event.reason}`;
}

/**
 * Each start has one event, and each event a start. (Ten different texts of one reason are combined, which hides the
 * container: such Pods are left out.) Source: kuberuntime_container.go startContainer.
 */
export function oneEventPerStart(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isRemoved) return undefined;
  if (past.hasFoldedEvents) return undefined;
  for (const { name } of past.containers) {
    const lives = past.livesOf(name);
    const ran = lives.filter(({ runningAtMs }) => runningAtMs !== undefined).length;
    const failed = lives.filter(({ failedAtMs }) => failedAtMs !== undefined).length;
    const started = past.eventCount('Started', name);
    if (started !== ran) return `${name} started ${ran} times and has ${started} events Started`;
    const created = past.eventCount('Created', name);
    if (created !== ran + failed) return `${name} was created ${ran + failed} times and has ${created} events Created`;
    const noStart = past.eventCount('Failed', name, 'detail');
    if (noStart !== failed) return `${name} failed to start ${failed} times and has ${noStart} events Failed`;
  }
  return undefined;
}

/** No container has two Killing events with the same reason. Source: killContainer. */
export function oneEventPerStop(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'event' || entry.event.reason !== 'Killing') return undefined;
  const life = past.newest(containerOf(entry.event) ?? '');
  const messages = life?.killings.map(({ message }) => message) ?? [];
  if (life === undefined) return 'nothing was ever started there';
  return new Set(messages).size === messages.length ? undefined : `${life.id}: ${messages.join(', ')}`;
}

/** Single happenings of a Pod have one event. Source: pkg/scheduler/schedule_one.go, pkg/kubelet/active_deadline.go. */
export function oneEventPerPod(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'event') return undefined;
  if (past.eventCount('Scheduled') > 1) return 'scheduled twice';
  return past.eventCount('DeadlineExceeded') > 1 ? 'ran out of time twice' : undefined;
}

/** Each failed attempt to create the sandbox has an event. Source: kuberuntime_manager.go SyncPod. */
export function oneEventPerSandboxFailure(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isRemoved) return undefined;
  const events = past.eventCount('FailedCreatePodSandBox');
  return events === past.sandboxFailures ? undefined : `${past.sandboxFailures} failures, ${events} events`;
}

/** Each failed attempt of a probe, and nothing else, has an event. Source: prober.go probe. */
export function oneEventPerFailedProbe(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isRemoved) return undefined;
  if (past.hasFoldedEvents) return undefined;
  for (const { name } of past.containers) {
    const failed = past.livesOf(name).flatMap((life) =>
      life.commands.flatMap(({ purpose, outcome, endedAtMs }) => {
        const isFailure = outcome?.type === 'timedOut' || (outcome?.type === 'exited' && outcome.exitCode !== 0);
        return isFailure && /startup|liveness|readiness/.test(purpose) ? [{ life, endedAtMs }] : [];
      }),
    );
    // An attempt that ended in the same instant as its container may have come too late to count.
    const sure = failed.filter(({ life, endedAtMs }) => life.exitReportedAtMs !== endedAtMs);
    const events = past.eventCount('Unhealthy', name, 'detail');
    if (events < sure.length || events > failed.length) {
      return `${name} failed ${failed.length} probes and has ${events} events`;
    }
  }
  return undefined;
}

/** A failed hook has one event. Source: kuberuntime_container.go. */
export function oneEventPerFailedHook(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isRemoved) return undefined;
  for (const { name, lifecycle } of past.containers) {
    for (const [purpose, reason] of [
      ['postStart', 'FailedPostStartHook'],
      ['preStop', 'FailedPreStopHook'],
    ] as const) {
      if (lifecycle?.[purpose]?.exec === undefined) continue;
      const runs = past.livesOf(name).flatMap(({ commands }) => commands.filter((one) => one.purpose === purpose));
      const failed = runs.filter(
        ({ outcome, isCutShort }) => outcome !== undefined && (isCutShort || !isGood(outcome)),
      ).length;
      const events = past.eventCount(reason, name);
      if (events > failed) return `${name} has ${events} events ${reason} of ${failed} failures`;
    }
  }
  return undefined;
}

function isGood(outcome: { readonly type: string; readonly exitCode?: number }): boolean {
  return outcome.type === 'exited' && outcome.exitCode === 0;
}

/** The count of an event increases by one. Its name, its text and its first time stay. Source: events_cache.go. */
export function eventsCountUp(entry: Entry, { eventBefore }: Chronicle): string | undefined {
  if (entry.type !== 'event' || eventBefore === undefined) return undefined;
  const { event } = entry;
  if ((event.count ?? 1) !== (eventBefore.count ?? 1) + 1) return `${eventBefore.count} became ${event.count}`;
  if (event.firstTimestamp !== eventBefore.firstTimestamp) return 'firstTimestamp moved';
  return event.reason === eventBefore.reason ? undefined : `${eventBefore.reason} became ${event.reason}`;
}

/** An event about a container names the list of the container. Source: pkg/kubelet/container/ref.go. */
export function eventsNameTheirContainer(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'event') return undefined;
  const { fieldPath, uid } = entry.event.involvedObject;
  if (uid !== past.pod.metadata.uid) return 'about another Pod';
  if (fieldPath === undefined) return undefined;
  const [, list = '', name = ''] = /^spec\.(\w+)\{(.+)\}$/.exec(fieldPath) ?? [];
  const inList = (past.spec[list as 'containers'] ?? []).some((one) => one.name === name);
  return inList ? undefined : `about ${fieldPath}`;
}

/**
 * Each delayed start has one BackOff event. The start of a killed container is delayed twice: by the back-off of the
 * previous instance, then by its own. Source: kuberuntime_manager.go doBackOff.
 */
export function oneEventPerBackOff(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isRemoved) return undefined;
  for (const { name } of past.containers) {
    const lives = past.livesOf(name);
    const most = lives.length + lives.filter(({ killings }) => killings.length > 0).length;
    const events = past.eventCount('BackOff', name, 'detail');
    if (events > most) return `${name} has ${events} events BackOff after ${lives.length} starts`;
  }
  return undefined;
}
