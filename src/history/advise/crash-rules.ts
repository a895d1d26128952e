import { TERMINATED } from '../../lifecycle/index.ts';
import { type Advice, adviceFor, type ContainerAdvice, counted, inSeconds, partOf } from './advice.ts';
import { type ContainerEvidence, type EndedAttempt, type Evidence, isEnded, secondsOf, stopOf } from './evidence.ts';

/** The exit codes of shells for programs that cannot be run. */
const SHELL_CODES: Readonly<Record<number, string>> = {
  126: 'a program that is not executable',
  127: 'a program that does not exist',
};
const SIGTERMED = 143;
/** A container that runs this much longer than the one with the work should have ended with it. */
const GOES_ON_SECONDS = 3;

/** Advice from containers that ended by themselves. */
export function crashAdvice(evidence: Evidence): Advice[] {
  const crashesOf = (container: ContainerEvidence): Advice[] =>
    adviceFor(container.name, [crashes(container, evidence)]);
  return [...evidence.containers.flatMap(crashesOf), ...runsOn(evidence)];
}

/** The runs that ended by themselves. */
function endedAlone(container: ContainerEvidence): EndedAttempt[] {
  return container.runs.filter(isEnded).filter((run) => stopOf(container, run) === undefined);
}

function crashes(container: ContainerEvidence, { story: { pod } }: Evidence): ContainerAdvice | undefined {
  if (container.failedStarts.length > 0) return cannotBeStarted(container);
  const ended = endedAlone(container);
  const last = ended.at(-1);
  if (last === undefined) return undefined;
  const { exitCode } = last.exit;
  const alike = ended.filter(({ exit }) => exit.exitCode === exitCode && exit.reason !== TERMINATED.oomKilled);
  if (exitCode === 0) return restartsWhenDone(container, pod.spec.restartPolicy, alike);
  const { name, path, spec } = container;
  const missing = SHELL_CODES[exitCode];
  const about = { path: `${path}.command`, current: spec.command, suggested: undefined };
  const seconds = alike.map(secondsOf);
  const times = `in ${partOf(alike, ended, 'run')}`;
  if (missing !== undefined && alike.length > 0) {
    return {
      ...about,
      rule: 'command-not-found',
      severity: 'problem',
      what:
        `Find the name of the program with podrun logs ${pod.metadata.name} -c ${name}: ` +
        'podrun runs programs of this machine only.',
      evidence: `The container ended with exit code ${exitCode} ${times}: a shell could not run ${missing}.`,
      samples: ended.length,
    };
  }
  if (alike.length < 2 || alike.length < ended.length || exitCode === SIGTERMED) return undefined;
  return {
    ...about,
    rule: 'restarts-alike',
    severity: 'problem',
    what: `Restarts do not help; podrun logs ${pod.metadata.name} -c ${name} --previous shows the last output.`,
    evidence: `The container ended with exit code ${exitCode} ${times}, after ${range(seconds)}.`,
    samples: ended.length,
  };
}

function cannotBeStarted({ path, spec, failedStarts }: ContainerEvidence): ContainerAdvice {
  // Remove the fixed words of containerd and runc in front of the error.
  const why = (failedStarts.at(-1) ?? '').replace(/^.*unable to start container process: /s, '');
  return {
    rule: 'cannot-be-started',
    severity: 'problem',
    path: `${path}.command`,
    current: spec.command,
    suggested: undefined,
    what: 'Name a program of this machine: in the command, or for the image in podrun.yaml or with --image.',
    evidence: `The container could not be started, ${counted(failedStarts.length, 'time')}: ${why}`,
    samples: failedStarts.length,
  };
}

function range(seconds: readonly number[]): string {
  const [least, most] = [inSeconds(Math.min(...seconds)), inSeconds(Math.max(...seconds))];
  return least === most ? most : `${least} to ${most}`;
}

/** Advice for a container that exits with 0 and restarts because of restartPolicy Always. */
function restartsWhenDone(
  { role }: ContainerEvidence,
  restartPolicy: string | undefined,
  done: readonly EndedAttempt[],
): ContainerAdvice | undefined {
  if (role !== 'regular' || (restartPolicy ?? 'Always') !== 'Always' || done.length < 2) return undefined;
  return {
    rule: 'restarts-when-done',
    severity: 'problem',
    path: 'spec.restartPolicy',
    current: 'Always',
    suggested: 'OnFailure',
    what: 'Use OnFailure or Never for a container that ends when its work is done.',
    evidence: `The container ended with exit code 0 in ${counted(done.length, 'run')}, and started again each time.`,
    samples: done.length,
  };
}

/** Advice for a helper container that outlives the work of the main containers: the Pod never completes. */
function runsOn({ story: { pod }, containers }: Evidence): Advice[] {
  if (pod.spec.restartPolicy === 'Always' || pod.spec.restartPolicy === undefined) return [];
  const mains = containers.filter(({ role }) => role === 'regular');
  const done = mains.filter((main) => endedAlone(main).at(-1)?.exit.exitCode === 0);
  const left = mains.filter((main) => lastStopMs(main) !== undefined);
  if (done.length === 0 || left.length === 0 || done.length + left.length < mains.length) return [];
  const doneMs = Math.max(...done.map((main) => endedAlone(main).at(-1)?.toMs ?? 0));
  return left.flatMap((container): Advice[] => {
    const { name, path } = container;
    const seconds = ((lastStopMs(container) ?? doneMs) - doneMs) / 1000;
    if (seconds < GOES_ON_SECONDS) return [];
    const names = done.map((main) => main.name).join(' and ');
    return [
      {
        rule: 'runs-on-beside-the-work',
        severity: 'problem',
        container: name,
        path,
        current: undefined,
        suggested: undefined,
        what:
          `Make ${name} a sidecar: an init container with restartPolicy Always, ` +
          'which ends with the main containers.',
        evidence:
          `${names} ended with exit code 0; ${name} ran on for ${inSeconds(seconds)}, ` +
          'until podrun stopped the container and its Pod.',
        samples: 1,
      },
    ];
  });
}

function lastStopMs(container: ContainerEvidence): number | undefined {
  const last = container.runs.at(-1);
  return last && stopOf(container, last);
}
