import type { Lifecycle } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { probeOf } from '../../lifecycle/probes/probe.ts';
import { noSignalHandler } from '../../lifecycle/texts/events.ts';
import { TERMINATED } from '../../lifecycle/texts/terminated.ts';
import { type Advice, counted, inSeconds, partOf } from './advice.ts';
import { containerOf, type ContainerEvidence, type ContainerRun, type Evidence } from './evidence.ts';

const SIGKILLED = 137;
/** Kubernetes' own, where the manifest says nothing. */
const GRACE_SECONDS = 30;
const NEAR = 0.7;
const FAR = 10;
/** What endpoints need to hear of it, more or less. */
const SLEEP_SECONDS = 5;

/** A stop that is known from its beginning to its end. */
interface Stop {
  readonly seconds: number;
  readonly graceSeconds: number;
  readonly exitCode: number;
  /** Of that, in a preStop hook. */
  readonly hookSeconds: number;
  /** It had the grace period that the manifest gives the Pod: no probe with its own, and nobody in a hurry. */
  readonly hadUsualGrace: boolean;
}

/** What the stops of containers say about signals, hooks and the grace period. */
export function endingAdvice(evidence: Evidence): Advice[] {
  return [
    ...evidence.containers.flatMap((container) => {
      const stops = stopsOf(container, evidence);
      const ignored = signalIgnored(container, stops);
      return [...ignored, ...(ignored.length > 0 ? [] : unhandled(container, evidence)), ...preStop(container, stops)];
    }),
    ...graceOf(evidence),
  ];
}

function stopsOf(container: ContainerEvidence, { pod, containers }: Evidence): Stop[] {
  const mains = containers.filter(({ role }) => role === 'main').flatMap(({ runs }) => runs);
  return container.runs.flatMap((run): Stop[] => {
    const { stopMs, end } = run;
    if (stopMs === undefined || end === undefined || end.reason === TERMINATED.oomKilled) return [];
    // A sidecar waits for its turn: the others are stopped first.
    const others =
      container.role === 'sidecar' ? mains.map((main) => main.end?.ms ?? 0).filter((ms) => ms < end.ms) : [];
    const seconds = (end.ms - Math.max(stopMs, ...others)) / 1000;
    const ofProbe = graceOfProbe(container, run);
    const graceSeconds = (ofProbe ?? graceSecondsOf(pod)) - (Math.max(stopMs, ...others) - stopMs) / 1000;
    const hadUsualGrace = ofProbe === undefined && graceSecondsOf(pod) === usualGraceSeconds(pod);
    const { exitCode } = end;
    return [{ seconds, graceSeconds, exitCode, hookSeconds: hookSeconds(container, run), hadUsualGrace }];
  });
}

function graceSecondsOf(pod: StoredPod): number {
  return pod.metadata.deletionGracePeriodSeconds ?? usualGraceSeconds(pod);
}

function usualGraceSeconds({ spec }: StoredPod): number {
  return spec.terminationGracePeriodSeconds ?? GRACE_SECONDS;
}

/** That of the probe that had the run ended, if it has its own. */
function graceOfProbe({ spec, probes }: ContainerEvidence, { restartCount }: ContainerRun): number | undefined {
  const killer = probes.find(
    (attempt) =>
      attempt.restartCount === restartCount && (attempt.decision === 'restart' || attempt.decision === 'kill'),
  );
  return killer && probeOf(spec, killer.probe)?.terminationGracePeriodSeconds;
}

function hookSeconds({ hooks }: ContainerEvidence, { restartCount }: ContainerRun): number {
  const hook = hooks.find((one) => one.hook === 'preStop' && one.restartCount === restartCount);
  return (hook?.durationMs ?? 0) / 1000;
}

/** From then on, what ends has ended because the grace period was over. */
function overSeconds({ graceSeconds }: Stop): number {
  return graceSeconds - Math.min(0.5, graceSeconds / 5);
}

function isKilledLate(stop: Stop): boolean {
  return stop.exitCode === SIGKILLED && stop.graceSeconds > 0 && stop.seconds >= overSeconds(stop);
}

/** Little or nothing of the grace period was left when the signal came. */
function isHookTooLong(stop: Stop): boolean {
  const { hookSeconds: hook, graceSeconds } = stop;
  return hook >= overSeconds(stop) || (isKilledLate(stop) && hook >= graceSeconds / 2);
}

function signalIgnored({ name, path, spec }: ContainerEvidence, stops: readonly Stop[]): Advice[] {
  const killed = stops.filter(isKilledLate);
  if (killed.length === 0) return [];
  // Where the hook has taken the time, the signal had no chance.
  const ignored = killed.filter((stop) => !isHookTooLong(stop));
  if (ignored.length === 0) return [];
  const grace = inSeconds(Math.max(...ignored.map(({ graceSeconds }) => graceSeconds)));
  const signal = spec.lifecycle?.stopSignal ?? 'SIGTERM';
  const isShell = /(?:^|\/)(?:ba|da|a)?sh$/.test(spec.command?.[0] ?? '');
  const what = isShell
    ? `Start the program with exec, so that ${signal} reaches it and not the shell; or handle it in the shell (trap).`
    : `Handle ${signal}, or name the signal that the program ends by in lifecycle.stopSignal.`;
  return [
    {
      rule: 'signal-ignored',
      severity: 'problem',
      container: name,
      path: `${path}.command`,
      current: spec.command,
      suggested: undefined,
      what,
      evidence:
        `${signal} did not end it: it was killed after the grace period of ${grace}, ` +
        `in ${partOf(ignored, stops, 'stop')}.`,
      samples: stops.length,
    },
  ];
}

const NO_SIGNAL_HANDLER = noSignalHandler('', '').reason;

function unhandled({ name, path, spec }: ContainerEvidence, { events, pod }: Evidence): Advice[] {
  const told = events.some((event) => event.reason === NO_SIGNAL_HANDLER && containerOf(event) === name);
  if (!told) return [];
  const signal = spec.lifecycle?.stopSignal ?? 'SIGTERM';
  return [
    {
      rule: 'no-signal-handler',
      severity: 'risk',
      container: name,
      path: `${path}.command`,
      current: spec.command,
      suggested: undefined,
      what: `Handle ${signal}, or start it below an init such as tini; --strict-pid1 shows what a cluster does.`,
      evidence:
        `It has no handler for ${signal}, which ended it here. As process 1 of a container it would not notice, ` +
        `and be killed when the grace period of ${inSeconds(graceSecondsOf(pod))} is over.`,
      samples: 1,
    },
  ];
}

function preStop(container: ContainerEvidence, stops: readonly Stop[]): Advice[] {
  const { name, path, spec } = container;
  if (spec.lifecycle?.preStop === undefined) return [];
  const hooked = stops.filter(({ hookSeconds: hook }) => hook > 0);
  const longest = Math.max(0, ...hooked.map(({ hookSeconds: hook }) => hook));
  const about = { container: name, samples: hooked.length };
  const wanted = sleepIn(spec.lifecycle);
  const cut = hooked.filter(isHookTooLong);
  if (cut.length > 0) {
    const grace = Math.max(...cut.map(({ graceSeconds }) => graceSeconds));
    return [
      {
        ...about,
        rule: 'pre-stop-takes-the-grace',
        severity: 'problem',
        path: 'spec.terminationGracePeriodSeconds',
        current: grace,
        suggested: Math.ceil(Math.max(2 * longest, (wanted ?? 0) + SLEEP_SECONDS)),
        what: 'Allow more time, or make the hook shorter: what it takes is part of the grace period.',
        evidence:
          `The preStop hook took ${inSeconds(longest)} of ${inSeconds(grace)}, ` +
          `in ${partOf(cut, stops, 'stop')}: nothing was left for the container.`,
      },
    ];
  }
  const serves = (spec.ports ?? []).length > 0 || spec.readinessProbe !== undefined;
  const enough = serves ? 2 * SLEEP_SECONDS : 0;
  if (wanted === undefined || wanted <= enough || hooked.length === 0) return [];
  const total = Math.max(...hooked.map(({ seconds }) => seconds));
  const why = serves
    ? 'Some seconds are enough for those who send requests to hear that it goes.'
    : 'It has no ports and no readiness probe: nobody sends it requests that it would have to wait for.';
  return [
    {
      ...about,
      rule: 'pre-stop-sleep',
      severity: 'tuning',
      path: `${path}.lifecycle.preStop`,
      current: spec.lifecycle.preStop,
      suggested: serves
        ? { sleep: { seconds: SLEEP_SECONDS }, ...(spec.lifecycle.preStop.exec && { exec: null }) }
        : null,
      what: serves ? 'Sleep less.' : 'Leave the hook out.',
      evidence: `It slept for ${inSeconds(longest)} of the ${inSeconds(total)} that a stop took. ${why}`,
    },
  ];
}

/** Seconds that a preStop hook does nothing but sleep; undefined: it does something. */
function sleepIn({ preStop: hook }: Lifecycle): number | undefined {
  if (hook?.sleep !== undefined) return hook.sleep.seconds;
  const words = hook?.exec?.command?.join(' ') ?? '';
  const seconds = /^(?:(?:\S*\/)?(?:ba|da)?sh -c )?(?:\S*\/)?sleep (\d+)s?$/.exec(words)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

/** The grace period is the Pod's: the slowest container counts. */
function graceOf(evidence: Evidence): Advice[] {
  const stops = evidence.containers
    .filter(({ role }) => role !== 'init')
    .flatMap((container) => stopsOf(container, evidence))
    .filter(({ hadUsualGrace }) => hadUsualGrace);
  const grace = graceSecondsOf(evidence.pod);
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
    const what = 'Allow more time: a busy machine takes longer, and then it is killed.';
    return [{ rule: 'grace-nearly-used', severity: 'risk', ...about, suggested, what, evidence: took }];
  }
  // The usual grace period costs nobody anything.
  if (grace <= GRACE_SECONDS || last.seconds * FAR > grace) return [];
  const suggested = Math.max(GRACE_SECONDS, Math.ceil(last.seconds * 3));
  const what = 'Allow less: who hangs is waited for that long, at every roll-out.';
  return [{ rule: 'grace-too-long', severity: 'tuning', ...about, suggested, what, evidence: took }];
}
