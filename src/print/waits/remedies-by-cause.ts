import { type ContainerStateTerminated, DEFAULT_NAMESPACE, type StoredEvent, type StoredPod } from '../../api/index.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import {
  causedKill,
  isImageFolderUnusable,
  isPassingPullError,
  PROBE_TYPES,
  TERMINATED,
} from '../../lifecycle/index.ts';
import { meaningOfExitCode } from '../base/exit-code.ts';
import type { PodContainer } from '../base/pod-container.ts';
import { attemptsOf } from '../base/probe-attempts.ts';
import { type BlockingMount, hasOtherLabels, missingNodeLabels } from '../live/blocking-mount.ts';
import { isGraceOver, stopReason } from '../live/stopped-run.ts';
import { podCommand } from './pod-command.ts';
import { killingProbeRemedies } from './probe-remedies.ts';

const UNUSABLE_IMAGE = /^(ErrImage|ImagePull|InvalidImage)/;

/** Advice for a container that cannot start. */
export function startRemedies(pod: StoredPod, { container, status }: PodContainer): string[] {
  const { reason = '', message = '' } = status?.state?.waiting ?? {};
  if (isImageFolderUnusable(message)) return ['correct its folder under images: in podrun.yaml, or make it'];
  if (UNUSABLE_IMAGE.test(reason)) {
    return [
      ...(isPassingPullError(message) ? ['apply it again when the registry responds'] : []),
      `map the image to a program: podrun apply --image '${container.image ?? 'IMAGE'}=COMMAND'`,
      'or give the container a command that this machine has',
    ];
  }
  const [, named] = /^container has runAsNonRoot and image has non-numeric user \((.*)\), cannot/.exec(message) ?? [];
  if (named !== undefined) {
    return [`set securityContext.runAsUser to the number of user ${named}: a name does not show that it is not root`];
  }
  if (message.startsWith('container has runAsNonRoot')) {
    return ['set securityContext.runAsUser to a user other than 0: without it the container runs as root'];
  }
  if (message.startsWith("container's runAsUser breaks")) {
    return ['runAsNonRoot forbids runAsUser 0: change one of them'];
  }
  return missingObjectRemedies(pod, message);
}

/** Advice for a volume that cannot be set up. */
export function mountRemedies(pod: StoredPod, { volume, why }: BlockingMount): string[] {
  const spec = pod.spec.volumes?.find(({ name }) => name === volume);
  const [, key] = /references non-existent (?:config|secret) key: (.+)/.exec(why) ?? [];
  if (key !== undefined) {
    const { configMap, secret } = spec ?? {};
    const holder = configMap === undefined ? `Secret ${secret?.secretName ?? ''}` : `ConfigMap ${configMap.name ?? ''}`;
    return [keyRemedy(pod, key, holder.trim())];
  }
  const [, path, kind] = /^hostPath type check failed: (.*) is not a (\w+)/.exec(why) ?? [];
  if (path !== undefined && !path.startsWith('/')) return [`write the whole path: on a node, ${path} is below /`];
  if (path !== undefined) {
    const types: Readonly<Record<string, string>> = { directory: 'DirectoryOrCreate', file: 'FileOrCreate' };
    const type = types[kind ?? ''];
    return [`create the ${kind} ${path}${type === undefined ? '' : `, or give the volume hostPath.type ${type}`}`];
  }
  return missingObjectRemedies(pod, why);
}

/** Advice for a node without the labels that a Pod asks for. */
export function labelRemedies(pod: StoredPod, events: readonly StoredEvent[]): string[] {
  if (!hasOtherLabels(pod)) return [];
  const missing = missingNodeLabels(pod, events);
  if (missing !== undefined && missing.grant === undefined) return [];
  const example = missing?.grant ?? '{ node: { labels: { KEY: VALUE } } }';
  return [`add the missing labels to this machine in podrun.yaml: ${example}`];
}

const KINDS: Readonly<Record<string, string>> = {
  configmap: 'ConfigMap',
  secret: 'Secret',
  persistentvolumeclaim: 'PersistentVolumeClaim',
};

/** Advice for a missing object or key, by the message of the kubelet or the scheduler. */
export function missingObjectRemedies(pod: StoredPod, message: string): string[] {
  const [, resource = '', name] = /\b(configmap|secret|persistentvolumeclaim) "([^"]+)" not found/.exec(message) ?? [];
  if (name !== undefined) {
    const what = `${KINDS[resource]} ${name}${inNamespace(pod)}`;
    return [`add ${what} to the manifest`, 'or apply it by itself: podrun apply -f FILE'];
  }
  const [, key, holder] = /couldn't find key (\S+) in ((?:ConfigMap|Secret) \S+)/.exec(message) ?? [];
  return key === undefined || holder === undefined ? [] : [keyRemedy(pod, key, holder.replace(/ \S*\//, ' '))];
}

function keyRemedy(pod: StoredPod, key: string, holder: string): string {
  return `add key ${key} to ${holder}${inNamespace(pod)}, or mark it optional`;
}

function inNamespace({ metadata: { namespace } }: StoredPod): string {
  return namespace === DEFAULT_NAMESPACE ? '' : ` (namespace ${namespace})`;
}

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
  if (message.endsWith('argument list too long')) {
    const limit = 'the kernel permits 128 KiB for a variable or argument';
    return [`put large values into files, as a ConfigMap has them: ${limit}`];
  }
  if (message.endsWith('it would be the root')) return ['mount the volume at a folder below /'];
  const [, program = ''] = /^(?:.*: )?exec: "(\/[^"]+)": stat/.exec(message) ?? [];
  // On most machines, /bin is a link to /usr/bin.
  const places = program === '' ? [] : [program, `/usr${program}`];
  const hiding = (container.volumeMounts ?? []).find(({ mountPath }) =>
    places.some((place) => place.startsWith(`${mountPath}/`)),
  );
  if (hiding !== undefined) {
    const volume = `volume ${hiding.name} at ${hiding.mountPath}`;
    return [`${volume} does not have ${program}, and hides this machine's: mount it elsewhere, or add the program`];
  }
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
