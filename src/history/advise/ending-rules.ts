import type { Lifecycle, StoredPod } from '../../api/index.ts';
import { causedKill, noSignalHandler, probeOf, TERMINATED } from '../../lifecycle/index.ts';
import { type Advice, adviceFor, type ContainerAdvice, counted, inSeconds, partOf } from './advice.ts';
import type { AttemptStory } from '../story/model.ts';
import { type ContainerEvidence, type Evidence, stopOf } from './evidence.ts';

const SIGKILLED = 137;
/** Kubernetes' default. */
const GRACE_SECONDS = 30;
const NEAR = 0.7;
const FAR = 10;
/** About the time until endpoints no longer contain the Pod. */
const SLEEP_SECONDS = 5;

/** A stop with a known beginning and end. */
interface MeasuredStop {
  readonly seconds: number;
  readonly graceSeconds: number;
  readonly exitCode: number;
  /** The seconds that the preStop hook took. */
  readonly hookSeconds: number;
  /** True when the stop had the grace period of the manifest: neither a probe nor a user shortened it. */
  readonly hadUsualGrace: boolean;
}

/** Advice from the stops of containers about signals, hooks and the grace period. */
export function endingAdvice(evidence: Evidence): Advice[] {
  return [
    ...evidence.containers.flatMap((container) => {
      const stops = stopsOf(container, evidence);
      const ignored = signalIgnored(container, stops);
      return adviceFor(container.name, [ignored ?? unhandled(container, evidence), preStop(container, stops)]);
    }),
    ...graceOf(evidence),
  ];
}

function stopsOf(container: ContainerEvidence, { story: { pod }, containers }: Evidence): MeasuredStop[] {
  const mains = containers.filter(({ role }) => role === 'regular').flatMap(({ runs }) => runs);
  return container.runs.flatMap((run): MeasuredStop[] => {
    const { toMs, exit } = run;
    const stopMs = stopOf(container, run);
    if (stopMs === undefined || exit === undefined || exit.reason === TERMINATED.oomKilled) return [];
    // A sidecar waits for its turn: the main containers stop first.
    const others =
      container.role === 'sidecar'
        ? mains.map((main) => (main.exit === undefined ? 0 : main.toMs)).filter((ms) => ms < toMs)
        : [];
    const seconds = (toMs - Math.max(stopMs, ...others)) / 1000;
    const ofProbe = graceOfProbe(container, run);
    const graceSeconds = (ofProbe ?? graceSecondsOf(pod)) - (Math.max(stopMs, ...others) - stopMs) / 1000;
    const hadUsualGrace = ofProbe === undefined && graceSecondsOf(pod) === usualGraceSeconds(pod);
    const { exitCode } = exit;
    return [{ seconds, graceSeconds, exitCode, hookSeconds: hookSeconds(container, run), hadUsualGrace }];
  });
}

function graceSecondsOf(pod: StoredPod): number {
  return pod.metadata.deletionGracePeriodSeconds ?? usualGraceSeconds(pod);
}

function usualGraceSeconds({ spec }: StoredPod): number {
  return spec.terminationGracePeriodSeconds ?? GRACE_SECONDS;
}

/** The grace period of the probe that killed the run, if the probe has its own. */
function graceOfProbe({ spec, probeAttempts }: ContainerEvidence, { attempt }: AttemptStory): number | undefined {
  const killer = probeAttempts.find((probe) => probe.restartCount === attempt && causedKill(probe));
  return killer && probeOf(spec, killer.probe)?.terminationGracePeriodSeconds;
}

function hookSeconds({ hooks }: ContainerEvidence, { attempt }: AttemptStory): number {
  const hook = hooks.find((hookRun) => hookRun.hook === 'preStop' && hookRun.attempt === attempt);
  return hook === undefined ? 0 : (hook.toMs - hook.fromMs) / 1000;
}

/** A container that ends after this many seconds was killed at the end of its grace period. */
function overSeconds({ graceSeconds }: MeasuredStop): number {
  return graceSeconds - Math.min(0.5, graceSeconds / 5);
}

function isKilledLate(stop: MeasuredStop): boolean {
  return stop.exitCode === SIGKILLED && stop.graceSeconds > 0 && stop.seconds >= overSeconds(stop);
}

/** True when the preStop hook used up most of the grace period. */
function isHookTooLong(stop: MeasuredStop): boolean {
  const { hookSeconds: hook, graceSeconds } = stop;
  return hook >= overSeconds(stop) || (isKilledLate(stop) && hook >= graceSeconds / 2);
}

function signalIgnored({ path, spec }: ContainerEvidence, stops: readonly MeasuredStop[]): ContainerAdvice | undefined {
  const killed = stops.filter(isKilledLate);
  if (killed.length === 0) return undefined;
  // A long hook left no time for the signal.
  const ignored = killed.filter((stop) => !isHookTooLong(stop));
  if (ignored.length === 0) return undefined;
  const grace = inSeconds(Math.max(...ignored.map(({ graceSeconds }) => graceSeconds)));
  const signal = spec.lifecycle?.stopSignal ?? 'SIGTERM';
  const isShell = /(?:^|\/)(?:ba|da|a)?sh$/.test(spec.command?.[0] ?? '');
  const what = isShell
    ? `Start the program with exec, so that ${signal} reaches it and not the shell; or handle it in the shell (trap).`
    : `Handle ${signal}, or set lifecycle.stopSignal to the signal that ends the program.`;
  return {
    rule: 'signal-ignored',
    severity: 'problem',
    path: `${path}.command`,
    current: spec.command,
    suggested: undefined,
    what,
    evidence:
      `${signal} did not end the container: podrun killed it after the grace period of ${grace}, ` +
      `in ${partOf(ignored, stops, 'stop')}.`,
    samples: stops.length,
  };
}

const NO_SIGNAL_HANDLER = noSignalHandler('', '').reason;

function unhandled(
  { name, path, spec }: ContainerEvidence,
  { story: { events, pod } }: Evidence,
): ContainerAdvice | undefined {
  const isReported = events.some((event) => event.reason === NO_SIGNAL_HANDLER && event.container === name);
  if (!isReported) return undefined;
  const signal = spec.lifecycle?.stopSignal ?? 'SIGTERM';
  return {
    rule: 'no-signal-handler',
    severity: 'risk',
    path: `${path}.command`,
    current: spec.command,
    suggested: undefined,
    what: `Handle ${signal}, or start it below an init such as tini; --strict-pid1 shows what a cluster does.`,
    evidence:
      `The program has no handler for ${signal}, and ${signal} ended it here. As process 1 of a container it would ` +
      `ignore ${signal}, and be killed after the grace period of ${inSeconds(graceSecondsOf(pod))}.`,
    samples: 1,
  };
}

function preStop(container: ContainerEvidence, stops: readonly MeasuredStop[]): ContainerAdvice | undefined {
  const { path, spec } = container;
  if (spec.lifecycle?.preStop === undefined) return undefined;
  const hooked = stops.filter(({ hookSeconds: hook }) => hook > 0);
  const longest = Math.max(0, ...hooked.map(({ hookSeconds: hook }) => hook));
  const about = { samples: hooked.length };
  const wanted = sleepIn(spec.lifecycle);
  const cut = hooked.filter(isHookTooLong);
  if (cut.length > 0) {
    const grace = Math.max(...cut.map(({ graceSeconds }) => graceSeconds));
    return {
      ...about,
      rule: 'pre-stop-takes-the-grace',
      severity: 'problem',
      path: 'spec.terminationGracePeriodSeconds',
      current: grace,
      suggested: Math.ceil(Math.max(2 * longest, (wanted ?? 0) + SLEEP_SECONDS)),
      what: 'Allow more time, or make the hook shorter: the grace period includes the hook.',
      evidence:
        `The preStop hook took ${inSeconds(longest)} of ${inSeconds(grace)}, ` +
        `in ${partOf(cut, stops, 'stop')}: the container had no time left.`,
    };
  }
  const serves = (spec.ports ?? []).length > 0 || spec.readinessProbe !== undefined;
  const enough = serves ? 2 * SLEEP_SECONDS : 0;
  if (wanted === undefined || wanted <= enough || hooked.length === 0) return undefined;
  const total = Math.max(...hooked.map(({ seconds }) => seconds));
  const why = serves
    ? 'Clients stop sending requests within a few seconds.'
    : 'The container has no ports and no readiness probe, so it gets no requests.';
  return {
    ...about,
    rule: 'pre-stop-sleep',
    severity: 'tuning',
    path: `${path}.lifecycle.preStop`,
    current: spec.lifecycle.preStop,
    suggested: serves
      ? { sleep: { seconds: SLEEP_SECONDS }, ...(spec.lifecycle.preStop.exec && { exec: null }) }
      : null,
    what: serves ? 'Sleep less.' : 'Remove the hook.',
    evidence: `The hook slept for ${inSeconds(longest)} of the ${inSeconds(total)} that a stop took. ${why}`,
  };
}

/** The seconds of a preStop hook that only sleeps. Undefined for any other hook. */
function sleepIn({ preStop: hook }: Lifecycle): number | undefined {
  if (hook?.sleep !== undefined) return hook.sleep.seconds;
  const words = hook?.exec?.command?.join(' ') ?? '';
  const seconds = /^(?:(?:\S*\/)?(?:ba|da)?sh -c )?(?:\S*\/)?sleep (\d+)s?$/.exec(words)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

/** Advice about the grace period of the Pod, which the slowest container determines. */
function graceOf(evidence: Evidence): Advice[] {
  const stops = evidence.containers
    .filter(({ role }) => role !== 'init')
    .flatMap((container) => stopsOf(container, evidence))
    .filter(({ hadUsualGrace }) => hadUsualGrace);
  const grace = graceSecondsOf(evidence.story.pod);
  const last = stops.toSorted((a, b) => a.seconds - b.seconds).at(-1);
  if (last === undefined || grace < 1) return [];
  if (stops.some((stop) => isKilledLate(stop) || (stop.hookSeconds > 0 && isHookTooLong(stop)))) return [];
  const about = {
    container: undefined,
    path: 'spec.terminationGracePeriodSeconds',
    current: grace,
    samples: stops.length,
  };
  const many = counted(stops.length, 'stop');
  const took = `The slowest of ${many} took ${inSeconds(last.seconds)} of ${inSeconds(grace)}.`;
  if (last.seconds >= NEAR * grace && last.seconds > 1) {
    const suggested = Math.ceil(2 * last.seconds);
    const what = 'Allow more time: on a busy machine a stop takes longer, and podrun would kill the container.';
    return [{ rule: 'grace-nearly-used', severity: 'risk', ...about, suggested, what, evidence: took }];
  }
  // The default grace period needs no advice.
  if (grace <= GRACE_SECONDS || last.seconds * FAR > grace) return [];
  const suggested = Math.max(GRACE_SECONDS, Math.ceil(last.seconds * 3));
  const what = 'Allow less: every roll-out waits that long for a container that hangs.';
  return [{ rule: 'grace-too-long', severity: 'tuning', ...about, suggested, what, evidence: took }];
}
