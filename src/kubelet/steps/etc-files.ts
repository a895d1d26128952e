import { chmodSync, constants, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { readQuietly } from '../../quietly.ts';
import type { StoredPod } from '../../api/index.ts';
import {
  absoluteMountPath,
  hostnameAndDomain,
  managedHostsFile,
  nodeHostsFile,
  podHostname,
} from '../../lifecycle/index.ts';
import { closing, type Mount } from '../../runtime/index.ts';
import { inFolder, type ObjectReader, type PodFiles } from '../../store/index.ts';
import type { PodNames } from '../../network/index.ts';
import { accountOf } from '../../apiserver/index.ts';
import type { LaunchStep, PodSandbox } from './step.ts';

const HOSTS = '/etc/hosts';
const HOSTNAME = '/etc/hostname';
const RESOLV_CONF = '/etc/resolv.conf';
const NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
/** podrun's name for this machine in Pods with networks of their own. */
const HOST_NAME = 'host.podrun.internal';
const MODE = 0o644;

type Addresses = Pick<PodSandbox, 'podIP' | 'hostAddress'>;

/**
 * Writes the Pod's own /etc/hosts, /etc/hostname, /etc/resolv.conf and the namespace of its ServiceAccount, and mounts
 * them. A file that the container mounts itself is left out. A Pod in the host's network has the host's name.
 * Source: pkg/kubelet/kubelet_pods.go makeMounts, ensureHostsFile; containerd, internal/cri/server containerMounts;
 * plugin/pkg/admission/serviceaccount shouldAutomount.
 */
export function etcFilesStep(
  files: Pick<PodFiles, 'paths'>,
  store: ObjectReader,
  names: Pick<PodNames, 'hostsLines' | 'follow' | 'resolvConf'>,
): LaunchStep {
  const hostsOf = (pod: StoredPod, sandbox: Addresses): string | undefined => {
    const own = hostsFile(pod, sandbox);
    return own && own + (names.hostsLines(pod) ?? '');
  };
  return {
    prepare({ pod, container, sandbox }, { mounts }) {
      const isReadOnly = container.securityContext?.readOnlyRootFilesystem === true;
      const taken = new Set((container.volumeMounts ?? []).map(({ mountPath }) => absoluteMountPath(mountPath)));
      const resolvConf = names.resolvConf(pod).text;
      const texts = { [HOSTS]: hostsOf(pod, sandbox), [RESOLV_CONF]: resolvConf, ...textsOf(pod, store) };
      const own = Object.entries(texts).flatMap(([target, text]): Mount[] => {
        if (text === undefined || taken.has(target)) return [];
        // Nothing is made inside a volume of the user.
        if (target === NAMESPACE && [...taken].some((place) => target.startsWith(`${place}/`))) return [];
        const source = path.join(files.paths(pod).etc, path.basename(target));
        writeInPlace(source, text);
        if (target === HOSTS && names.hostsLines(pod) !== undefined)
          names.follow(source, () => rewritten(source, hostsOf(pod, sandbox)));
        return [{ source, target, isReadOnly: target === NAMESPACE || (isReadOnly && target !== HOSTS) }];
      });
      return { ok: true, changes: { mounts: [...mounts, ...own] } };
    },
  };
}

/** The texts of the other files by path. Undefined: the container sees the host's file, or none. */
function textsOf(pod: StoredPod, store: ObjectReader): Record<string, string | undefined> {
  const { spec } = pod;
  const name = podHostname(pod);
  // The other files of this folder, token and ca.crt, are of use beside an API server only.
  const isWanted = spec.automountServiceAccountToken ?? accountOf(store, pod)?.automountServiceAccountToken ?? true;
  const account = isWanted ? { [NAMESPACE]: pod.metadata.namespace } : {};
  if (spec.hostNetwork === true) return account;
  const hostname = name.ok ? `${name.hostname}\n` : undefined;
  return { [HOSTNAME]: hostname, ...account };
}

/** The text of /etc/hosts without Services. Undefined: the container sees the host's file. */
function hostsFile(pod: StoredPod, { podIP, hostAddress }: Addresses): string | undefined {
  const machine = hostAddress === undefined ? [] : [{ ip: hostAddress, hostnames: [HOST_NAME] }];
  const aliases = [...machine, ...(pod.spec.hostAliases ?? [])];
  if (pod.spec.hostNetwork === true) return nodeHostsFile(readQuietly(HOSTS), aliases);
  return podIP && managedHostsFile({ ...hostnameAndDomain(pod), podIPs: [podIP], aliases });
}

/** Writes a file again. False when it is gone: its Pod is. */
function rewritten(file: string, text: string | undefined): boolean {
  if (text === undefined || !existsSync(file)) return false;
  writeInPlace(file, text);
  return true;
}

/** Writes into the existing file: containers have mounted its inode. */
function writeInPlace(file: string, text: string): void {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const opened = inFolder(path.dirname(file), () => openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600));
  closing(opened, (fd) => {
    const before = readFileSync(fd, 'utf8');
    if (before === text) return;
    if (before !== '') ftruncateSync(fd);
    writeSync(fd, text, 0);
  });
  chmodSync(file, MODE);
}
