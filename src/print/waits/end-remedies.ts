import type { ContainerStateTerminated, StoredPod } from '../../api/index.ts';
import { causedKill, PROBE_TYPES, TERMINATED } from '../../lifecycle/index.ts';
import { meaningOfExitCode } from '../base/exit-code.ts';
import type { PodContainer } from '../base/pod-container.ts';
import { isGraceOver, stopReason } from '../live/stopped-run.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import { podCommand } from './pod-command.ts';
import { attemptsOf } from '../base/probe-attempts.ts';
import { killingProbeRemedies } from './probe-remedies.ts';

/** Advice after a run of a container that failed. */
export function endRemedies(
  ended: ContainerStateTerminated,
  pod: StoredPod,
  view: PodContainer,
  records: RecordedEvidence,
): string[] {
  const { container } = view;
  const killer = PROBE_TYPES.find((type) => attemptsOf(view, type, records.attempts).some(causedKill));
  if (killer !== undefined) return killingProbeRemedies(pod, container, killer);
  const stop = stopReason(pod, view, ended, records);
  if (stop === 'hook') {
    return [`read the output of its hooks: ${podCommand(pod, 'logs', ['-c', container.name, '--hooks'])}`];
  }
  // The user has asked for that end.
  if (stop === 'fault') return [];
  if (stop === 'pod') return graceRemedies(ended, pod);
  if (ended.reason === TERMINATED.oomKilled) {
    const limit = container.resources?.limits?.['memory'];
    const now = limit === undefined ? '' : ` (it is ${limit})`;
    return [`raise resources.limits.memory of ${container.name}${now}, or have the program use less`];
  }
  if (ended.reason === TERMINATED.startError || ended.exitCode === 127) return programRemedies(ended, view);
  if (ended.exitCode === 0)
    return ['a program that ends is not Ready: wait with --until succeeded, or let the program run on'];
  return exitCodeRemedies(ended.exitCode);
}

function graceRemedies(ended: ContainerStateTerminated, pod: StoredPod): string[] {
  const { spec } = pod;
  // A container that never started had no program to end.
  if (!ended.startedAt || !isGraceOver(pod, ended)) return [];
  const seconds = spec.terminationGracePeriodSeconds;
  const now = seconds === undefined ? '' : ` (it is ${seconds})`;
  return [`have the program end on SIGTERM, or raise spec.terminationGracePeriodSeconds${now}`];
}

function programRemedies({ message = '', exitCode }: ContainerStateTerminated, { container }: PodContainer): string[] {
  if (/^mount\b/.test(message))
    return ['check that its volumeMounts match the files at their mountPath on this machine'];
  if (exitCode !== 127 && message.includes('permission denied')) return exitCodeRemedies(126);
  const isOwnCommand = (container.command ?? []).length > 0;
  return [
    'check that the program exists: containers run programs of this machine, those in command and args',
    // A command in the manifest wins over the command of the image.
    ...(isOwnCommand
      ? []
      : [`map the image to another program: podrun apply --image '${container.image ?? 'IMAGE'}=COMMAND'`]),
  ];
}

function exitCodeRemedies(exitCode: number): string[] {
  if (exitCode === 126) return ['make the program executable (chmod +x), and check that its first line names a shell'];
  switch (meaningOfExitCode(exitCode)) {
    case 'SIGKILL':
      return ['check whether this machine ran out of memory: dmesg lists the processes that the kernel killed'];
    case 'SIGSEGV':
    case 'SIGABRT':
    case 'SIGBUS':
    case 'SIGILL':
    case 'SIGFPE':
      return ['the program crashed: run it by hand, with the same variables'];
    case undefined:
    default:
      return [];
  }
}
