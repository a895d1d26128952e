import { isUnreachable, parseDuration, SCHEDULING_GATED, type StoredPod } from '../../api/index.ts';
import { CONDITION, EVENT_REASON, shouldRestart, TERMINATED, WAITING } from '../../lifecycle/index.ts';
import { briefDuration, timestampMs } from '../base/age.ts';
import { type PodContainer, containersOf, nameContainer } from '../base/pod-container.ts';
import { describeExitCode } from '../base/exit-code.ts';
import { conditionOf } from '../table/pod-status.ts';
import { containerOfEvent, NO_RECORDS, type RecordedEvidence } from '../../history/index.ts';
import { probeProgress } from '../base/probe-attempts.ts';
import { blockingMount, whyUnscheduled } from './blocking-mount.ts';
import { firstCause } from './first-cause.ts';
import { failedPostStart, killingProbe, postStartText } from './stopped-run.ts';

/**
 * The reason why a Pod is not finished, as a phrase after "waiting for": `init container migrate (2/3) to finish`,
 * `container api to become ready (readiness probe)`, …
 * @param nowMs current time for the rest of a back-off or grace period, milliseconds since 1970
 * @param records the records of the Pod, if the caller has them: probes, hooks, volumes
 */
export function waitingFor(pod: StoredPod, nowMs: number, records: RecordedEvidence = NO_RECORDS): string {
  const { metadata, status } = pod;
  if (status.phase === 'Succeeded') return 'nothing, it has Succeeded';
  if (status.phase === 'Failed') return `nothing, it has Failed: ${firstCause(pod, records)}`;
  if (isUnreachable(status)) return 'its agent, which does not answer';
  if (status.phase === 'Unknown') return 'another agent: the podrun that ran the Pod is gone';
  if (metadata.deletionTimestamp) return stopping(pod, nowMs);
  const seen: Seen = { nowMs, records };
  return scheduling(pod, records) ?? starting(pod, seen) ?? readiness(pod, seen) ?? ending(pod);
}

interface Seen {
  readonly nowMs: number;
  readonly records: RecordedEvidence;
}

function scheduling(pod: StoredPod, { events }: RecordedEvidence): string | undefined {
  const { spec, status } = pod;
  const scheduled = conditionOf(status, 'PodScheduled');
  if (scheduled === undefined) {
    if (status.conditions) return undefined;
    return spec.nodeName ? `node ${spec.nodeName}, which spec.nodeName names, to run it` : 'a node to run on';
  }
  if (scheduled.status === 'True') return undefined;
  if (scheduled.reason === SCHEDULING_GATED.reason) {
    const names = (spec.schedulingGates ?? []).map(({ name }) => name);
    return `${names.length > 1 ? 'scheduling gates' : 'scheduling gate'} ${names.join(', ')} to be removed`;
  }
  return `a node to run on: ${whyUnscheduled(pod, events)}`;
}

function stopping(pod: StoredPod, nowMs: number): string {
  const running = containersOf(pod).filter(({ status }) => status?.state?.running);
  const names = running.map(({ container }) => container.name).join(', ') || 'its containers';
  const leftMs = (timestampMs(pod.metadata.deletionTimestamp) ?? nowMs) - nowMs;
  return `${names} to stop (${leftMs > 0 ? `${secondsLeft(leftMs)} of grace left` : 'the grace period is over'})`;
}

/** The first container, in the order of starting, that does not run as it should. */
function starting(pod: StoredPod, seen: Seen): string | undefined {
  const isInitialized = conditionOf(pod.status, 'Initialized')?.status === 'True';
  for (const view of containersOf(pod)) {
    if (view.role === 'ephemeral' || (view.role === 'init' && isInitialized)) continue;
    const phrase = startOf(view, pod, seen);
    if (phrase !== undefined) return phrase;
  }
  return undefined;
}

function startOf(view: PodContainer, pod: StoredPod, { nowMs, records }: Seen): string | undefined {
  const { status, role } = view;
  const name = nameContainer(view);
  const { running, terminated, waiting } = status?.state ?? {};
  if (running && role === 'init') return `${name} to finish${since(running.startedAt, nowMs)}`;
  if (running) {
    if (status?.started === true) return undefined;
    return `${name} to start up (${probeProgress(view, 'startup', records.attempts, nowMs)})`;
  }
  if (isInPostStart(view, records)) return `the postStart hook of ${name} to return`;
  if (terminated) {
    const { exitCode } = terminated;
    const isDone = role === 'init' && exitCode === 0;
    if (isDone || !shouldRestart(pod.spec.restartPolicy, view.container, exitCode)) return undefined;
    return `${name} to be restarted after ${describeExitCode(exitCode)}`;
  }
  if (waiting?.reason === WAITING.crashLoopBackOff) {
    return `${name} to be restarted: ${backOff(view, nowMs)}${lastEndText(view, records)}`;
  }
  if (waiting?.reason === WAITING.postStartHookError) {
    return `${name} to be restarted: its ${postStartText(failedPostStart(view, records))}`;
  }
  const isOrdinary = [undefined, '', WAITING.containerCreating, WAITING.podInitializing].includes(waiting?.reason);
  if (isOrdinary) return `${name} to start${mountText(pod, records)}`;
  return `${name} to start: ${[waiting?.reason, waiting?.message].filter(Boolean).join(': ')}`;
}

/** The text `: volume conf cannot be set up: configmap "settings" not found`. */
function mountText(pod: StoredPod, { events }: RecordedEvidence): string {
  const mount = blockingMount(pod, events);
  return mount === undefined ? '' : `: volume ${mount.volume} cannot be set up: ${mount.why}`;
}

/** The end of the previous run: ` (exit code 1)`, ` (postStart hook failed with exit code 4: no database)`. */
function lastEndText(view: PodContainer, records: RecordedEvidence): string {
  const { container, status } = view;
  const ended = status?.lastState?.terminated;
  if (ended === undefined) return '';
  const hook = failedPostStart(view, records);
  if (hook !== undefined) return ` (${postStartText(hook)})`;
  const probe = killingProbe(container.name, status?.restartCount ?? 0, records.attempts);
  if (probe !== undefined) return ` (killed by its ${probe})`;
  const oom = ended.reason === TERMINATED.oomKilled ? `${ended.reason}, ` : '';
  return ` (${oom}${describeExitCode(ended.exitCode)})`;
}

/** The text `back-off 10s, 8s left`. */
function backOff({ status }: PodContainer, nowMs: number): string {
  const ended = status?.lastState?.terminated;
  const delay = /^back-off (\d[^ ]*) /.exec(status?.state?.waiting?.message ?? '')?.[1];
  const endedMs = timestampMs(ended?.finishedAt);
  if (delay === undefined || endedMs === undefined) return 'back-off';
  const leftMs = endedMs + parseDuration(delay) - nowMs;
  return leftMs > 0 ? `back-off ${delay}, ${secondsLeft(leftMs)} left` : `back-off ${delay} is over`;
}

function readiness(pod: StoredPod, { nowMs, records }: Seen): string | undefined {
  const unready = containersOf(pod).find(
    ({ role, status }) => (role === 'regular' || role === 'sidecar') && status?.state?.running && !status.ready,
  );
  if (unready) {
    const progress = probeProgress(unready, 'readiness', records.attempts, nowMs);
    return `${nameContainer(unready)} to become ready (${progress})`;
  }
  if (conditionOf(pod.status, 'Ready')?.reason !== CONDITION.readinessGatesNotReady) return undefined;
  const closed = (pod.spec.readinessGates ?? [])
    .map(({ conditionType }) => conditionType)
    .filter((type) => conditionOf(pod.status, type)?.status !== 'True');
  return `${closed.length > 1 ? 'readiness gates' : 'readiness gate'} ${closed.join(', ')}`;
}

/** The phrase for a Pod that only has to end. */
function ending(pod: StoredPod): string {
  const running = containersOf(pod).filter(({ role, status }) => role === 'regular' && status?.state?.running);
  if (running.length === 0) return 'its last containers to stop';
  const names = running.map(({ container }) => container.name).join(', ');
  const always = pod.spec.restartPolicy === 'Always' || pod.spec.restartPolicy === undefined;
  return always ? `${names} to be stopped (restartPolicy Always)` : `${names} to finish`;
}

function since(startedAt: string | null | undefined, nowMs: number): string {
  const startMs = timestampMs(startedAt);
  return startMs === undefined || nowMs - startMs < 1000 ? '' : ` (running for ${briefSeconds(nowMs - startMs)})`;
}

/** Formats whole seconds: a status line that is often redrawn must not flicker. */
function briefSeconds(ms: number): string {
  return briefDuration(Math.trunc(ms / 1000) * 1000);
}

/** Rounds up to seconds: a positive rest is never 0. */
function secondsLeft(ms: number): string {
  return briefDuration(Math.ceil(ms / 1000) * 1000);
}

/**
 * True while the postStart hook of a container runs. The status shows the container as waiting until the hook has
 * returned. The hook journal has the hook only after that.
 */
function isInPostStart({ container }: PodContainer, records: RecordedEvidence): boolean {
  if (container.lifecycle?.postStart === undefined) return false;
  const starts = records.events.filter(
    (event) => event.reason === EVENT_REASON.started && containerOfEvent(event) === container.name,
  );
  const startedMs = Math.max(...starts.map(({ lastTimestamp }) => timestampMs(lastTimestamp) ?? 0));
  const returned = records.hooks.some((run) => {
    return run.container === container.name && run.hook === 'postStart' && (timestampMs(run.time) ?? 0) >= startedMs;
  });
  return starts.length > 0 && !returned;
}
