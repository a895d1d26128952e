import type { Container, ContainerStateTerminated, Probe } from '../../api/generated/types.ts';
import { DEFAULT_NAMESPACE, type StoredPod } from '../../api/objects.ts';
import { probeNumbers, PROBE_TYPES, probeOf, type ProbeType } from '../../lifecycle/probes/probe.ts';
import type { ProbeAttempt } from '../../lifecycle/probes/probe-attempt.ts';
import { CONDITION } from '../../lifecycle/texts/condition-reasons.ts';
import { DEADLINE_EXCEEDED } from '../../lifecycle/texts/pod-reasons.ts';
import { TERMINATED } from '../../lifecycle/texts/terminated.ts';
import { meaningOfExitCode } from '../exit-code.ts';
import type { ContainerView } from '../live/container-view.ts';
import { conditionOf } from '../pod-status.ts';
import type { PodEvidence } from './evidence.ts';
import { attemptsOf, decidesToKill } from './probe-attempts.ts';

/** More than that, nobody tries. */
const MAX = 4;

export interface RemedyQuestion {
  readonly pod: StoredPod;
  /** The container concerned; undefined where it is no container. */
  readonly view: ContainerView | undefined;
  readonly evidence: PodEvidence;
  /** Is the end of the Pod waited for? */
  readonly isEndWanted: boolean;
  /** `--state-dir`, where it was given: without it, other commands would look elsewhere. */
  readonly stateDir?: string | undefined;
}

/**
 * What somebody may try whose Pod is not where it should be: sentences, the likeliest first, with commands that can be
 * run as they stand.
 */
export function remedies({ stateDir, ...question }: RemedyQuestion): string[] {
  const sentences = remediesOf(question);
  if (stateDir === undefined) return sentences;
  const place = /^[\w./~-]+$/.test(stateDir) ? stateDir : `'${stateDir.replaceAll("'", String.raw`'\''`)}'`;
  return sentences.map((sentence) => sentence.replaceAll(COMMAND, () => `podrun --state-dir ${place} `));
}

const COMMAND = /\bpodrun (?=(?:apply|condition|describe|logs|probes)\b)/g;

function remediesOf({ pod, view, evidence, isEndWanted }: Omit<RemedyQuestion, 'stateDir'>): string[] {
  if (pod.status.phase === 'Unknown') return [`start it again: podrun apply; see it: ${run(pod, 'describe pod')}`];
  const found = [
    ...(isEndWanted ? ofEndlessness(pod) : []),
    ...(view === undefined ? ofPod(pod) : ofContainer(pod, view, evidence)),
  ];
  return [...new Set(found)].slice(0, MAX);
}

/** A command of podrun about the Pod: `podrun describe pod web -n shop`. */
function run({ metadata: { name, namespace } }: StoredPod, command: string, more: readonly string[] = []): string {
  const where = namespace === DEFAULT_NAMESPACE ? [] : ['-n', namespace];
  return ['podrun', command, name, ...more, ...where].join(' ');
}

/** Everything runs as it should; it only never ends. */
function ofEndlessness({ spec, status }: StoredPod): string[] {
  if (conditionOf(status, 'Ready')?.status !== 'True' || (spec.restartPolicy ?? 'Always') !== 'Always') return [];
  return ['with restartPolicy Always it never ends: wait with --until ready, or give it restartPolicy Never'];
}

function ofPod(pod: StoredPod): string[] {
  const ready = conditionOf(pod.status, 'Ready');
  if (ready?.reason === CONDITION.readinessGatesNotReady) {
    const closed = (pod.spec.readinessGates ?? [])
      .map(({ conditionType }) => conditionType)
      .filter((type) => conditionOf(pod.status, type)?.status !== 'True');
    return closed.map((gate) => `open the readiness gate: ${run(pod, 'condition pod', [`${gate}=True`])}`);
  }
  return [`see all of it: ${run(pod, 'describe pod')}`];
}

function ofContainer(pod: StoredPod, view: ContainerView, evidence: PodEvidence): string[] {
  const { state, lastState } = view.status ?? {};
  const ended = state?.running ? undefined : (state?.terminated ?? lastState?.terminated);
  if (pod.status.reason === DEADLINE_EXCEEDED.reason) {
    return [`raise spec.activeDeadlineSeconds (it is ${pod.spec.activeDeadlineSeconds})`, seeLog(pod, view)];
  }
  if (ended !== undefined) {
    const hasRun = ended.reason !== TERMINATED.startError;
    return [...ofEnd(ended, pod, view, evidence.attempts), ...(hasRun ? [seeLog(pod, view)] : [])];
  }
  if (state?.running) return [...ofProbes(pod, view, evidence.attempts), seeLog(pod, view)];
  return [...ofWaiting(view), `see all of it: ${run(pod, 'describe pod')}`];
}

/** While a container waits to be restarted, the log is that of the run that ended. */
function seeLog(pod: StoredPod, { container, status }: ContainerView): string {
  const isBehind = status?.state?.running !== undefined && status.lastState?.terminated !== undefined;
  return `read its log: ${run(pod, 'logs', ['-c', container.name, ...(isBehind ? ['--previous'] : [])])}`;
}

function ofEnd(
  { exitCode, reason }: ContainerStateTerminated,
  pod: StoredPod,
  view: ContainerView,
  attempts: readonly ProbeAttempt[],
): string[] {
  const { container } = view;
  const killer = PROBE_TYPES.find((type) => attemptsOf(view, type, attempts).some(decidesToKill));
  if (killer !== undefined) return ofKilling(pod, container, killer);
  if (reason === TERMINATED.oomKilled) {
    const limit = container.resources?.limits?.['memory'];
    const now = limit === undefined ? '' : ` (it is ${limit})`;
    return [`raise resources.limits.memory of ${container.name}${now}, or have the program use less`];
  }
  if (reason === TERMINATED.startError || exitCode === 127) {
    return [
      `see that the program is there: containers run programs of this machine; command and args say which`,
      `name another one for the image: podrun apply --image '${container.image ?? 'IMAGE'}=COMMAND'`,
    ];
  }
  if (exitCode === 0) return ['a program that ends is not Ready: wait with --until succeeded, or have it go on'];
  return ofExitCode(exitCode);
}

function ofExitCode(exitCode: number): string[] {
  if (exitCode === 126) return ['make the program executable (chmod +x), and see that its first line names a shell'];
  switch (meaningOfExitCode(exitCode)) {
    case 'SIGKILL':
      return ['find out who killed it: the memory of this machine may have run out (dmesg)'];
    case 'SIGTERM':
      return ['find out who asked it to end: it was not podrun, or the Pod was being ended'];
    case 'SIGSEGV':
    case 'SIGABRT':
    case 'SIGBUS':
    case 'SIGILL':
    case 'SIGFPE':
      return ['the program crashed: run it by hand, with the same variables'];
    default:
      return [];
  }
}

function ofKilling(pod: StoredPod, container: Container, type: ProbeType): string[] {
  const probe = probeOf(container, type) ?? {};
  const { failureThreshold, timeoutSeconds, periodSeconds, initialDelaySeconds } = probeNumbers(probe);
  const allowed = `failureThreshold is ${failureThreshold}, periodSeconds ${periodSeconds}`;
  const start =
    type === 'startup' || container.startupProbe !== undefined
      ? []
      : [
          `if it starts slowly, a startupProbe holds the ${type} probe back ` +
            `(initialDelaySeconds is ${initialDelaySeconds})`,
        ];
  return [
    `if it was only slow, raise what its ${type}Probe allows: ${allowed}, timeoutSeconds ${timeoutSeconds}`,
    ...start,
    `see every attempt: ${run(pod, 'probes', ['-c', container.name])}`,
  ];
}

/** Of a container that runs, and has not started up or is not ready. */
function ofProbes(pod: StoredPod, view: ContainerView, attempts: readonly ProbeAttempt[]): string[] {
  const { container, status } = view;
  if (status?.ready) return [];
  const type = status?.started === false ? 'startup' : 'readiness';
  const probe = probeOf(container, type);
  if (probe === undefined) return [];
  const own = attemptsOf(view, type, attempts);
  const last = own.at(-1);
  const seeAll = `see every attempt: ${run(pod, 'probes', ['-c', container.name])}`;
  if (last === undefined) {
    const { initialDelaySeconds } = probeNumbers(probe);
    return [`wait longer: its first ${type} probe comes ${initialDelaySeconds}s after the start`];
  }
  if (last.successes > 0) return ['wait longer: it is on its way', seeAll];
  return [...ofFailure(probe, type, last), ...(type === 'startup' ? [moreStartTime(probe)] : []), seeAll];
}

function moreStartTime(probe: Probe): string {
  const { failureThreshold, periodSeconds } = probeNumbers(probe);
  const seconds = failureThreshold * periodSeconds;
  const raise = `raise failureThreshold (${failureThreshold}) of its startupProbe`;
  return `if it needs longer than ${seconds}s to start, ${raise}`;
}

function ofFailure(probe: Probe, type: ProbeType, last: ProbeAttempt): string[] {
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port;
  if (last.errno === 'ECONNREFUSED' && port !== undefined) {
    return [`nobody listens on port ${port}: is that the port of the program, and does it listen on all addresses?`];
  }
  if (last.result === 'timeout') {
    return [`raise timeoutSeconds of its ${type}Probe (${probeNumbers(probe).timeoutSeconds}), or answer sooner`];
  }
  if (last.httpStatus === 404) return [`nothing is at ${probe.httpGet?.path ?? '/'}: correct httpGet.path`];
  if (last.exitCode === 127 || last.exitCode === 126 || last.result === 'error') {
    return ['the probe itself cannot be run: correct its command'];
  }
  return [];
}

const UNUSABLE_IMAGE = /^(ErrImage|ImagePull|InvalidImage)/;
const BAD_CONFIG = /^(CreateContainerConfigError|CreateContainerError)$/;

function ofWaiting({ container, status }: ContainerView): string[] {
  const reason = status?.state?.waiting?.reason ?? '';
  if (UNUSABLE_IMAGE.test(reason)) {
    return [
      `say which program stands for the image: podrun apply --image '${container.image ?? 'IMAGE'}=COMMAND'`,
      'or give the container a command that this machine has',
    ];
  }
  if (BAD_CONFIG.test(reason)) return ['create what is missing with podrun apply: the container then starts by itself'];
  return [];
}
