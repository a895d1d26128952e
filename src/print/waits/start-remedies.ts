import { DEFAULT_NAMESPACE, type StoredEvent, type StoredPod } from '../../api/index.ts';
import { isImageFolderUnusable } from '../../lifecycle/index.ts';
import type { PodContainer } from '../base/pod-container.ts';
import type { BlockingMount } from '../live/blocking-mount.ts';
import { hasOtherLabels, missingNodeLabels } from '../live/missing-node-labels.ts';

const UNUSABLE_IMAGE = /^(ErrImage|ImagePull|InvalidImage)/;

/** Advice for a container that cannot start. */
export function startRemedies(pod: StoredPod, { container, status }: PodContainer): string[] {
  const { reason = '', message = '' } = status?.state?.waiting ?? {};
  if (isImageFolderUnusable(message)) return ['correct its folder under images: in podrun.yaml, or make it'];
  if (UNUSABLE_IMAGE.test(reason)) {
    return [
      `map the image to a program: podrun apply --image '${container.image ?? 'IMAGE'}=COMMAND'`,
      'or give the container a command that this machine has',
    ];
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
