import { chmodSync, closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Container } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import { hostnameAndDomain, podHostname } from '../../lifecycle/environment/hostname.ts';
import { managedHostsFile, nodeHostsFile } from '../../lifecycle/files/hosts-file.ts';
import { podResolvConf } from '../../lifecycle/files/resolv-conf.ts';
import { absoluteMountPath } from '../../lifecycle/volumes/volume-mounts.ts';
import type { Mount } from '../../runtime/confinement.ts';
import { inFolder } from '../../store/disk/atomic-file.ts';
import type { PodFiles } from '../pod-files.ts';
import type { LaunchStep } from './step.ts';

interface EtcFiles {
  readonly pod: StoredPod;
  /** The address of the Pod. Undefined: the Pod has none yet, or uses the host's. */
  readonly podIP: string | undefined;
  /** The folder for these files. Created when missing. */
  readonly etcFolder: string;
  /** The container that gets the mounts. */
  readonly container: Container;
}

const HOSTS = '/etc/hosts';
const HOSTNAME = '/etc/hostname';
const RESOLV_CONF = '/etc/resolv.conf';
const MODE = 0o644;

/** Gives the container the Pod's own files of /etc. */
export function etcFilesStep(files: Pick<PodFiles, 'paths'>): LaunchStep {
  return {
    prepare({ pod, container, sandbox: { podIP } }, { mounts }) {
      const own = etcFileMounts({ pod, podIP, etcFolder: files.paths(pod).etc, container });
      return { ok: true, changes: { mounts: [...mounts, ...own] } };
    },
  };
}

/**
 * Writes the Pod's own /etc/hosts, /etc/hostname and /etc/resolv.conf, and returns their mounts. A file that the
 * container mounts itself is left out. A Pod in the host's network has the host's name.
 * Source: pkg/kubelet/kubelet_pods.go makeMounts, ensureHostsFile; containerd, internal/cri/server containerMounts.
 */
export function etcFileMounts({ pod, podIP, etcFolder, container }: EtcFiles): Mount[] {
  const { spec } = pod;
  const aliases = spec.hostAliases ?? [];
  const isReadOnly = container.securityContext?.readOnlyRootFilesystem === true;
  const name = podHostname(pod);
  const ofHost = spec.hostNetwork === true;
  const podIPs = podIP === undefined ? [] : [podIP];
  const hosts = ofHost
    ? nodeHostsFile(textOf(HOSTS), aliases)
    : managedHostsFile({ ...hostnameAndDomain(pod), podIPs, aliases });
  const files = [
    { target: HOSTS, text: ofHost || podIP !== undefined ? hosts : undefined, isReadOnly: false },
    { target: HOSTNAME, text: ofHost || !name.ok ? undefined : `${name.hostname}\n`, isReadOnly },
    { target: RESOLV_CONF, text: podResolvConf(spec, textOf(RESOLV_CONF)), isReadOnly },
  ];
  const taken = new Set((container.volumeMounts ?? []).map(({ mountPath }) => absoluteMountPath(mountPath)));
  return files.flatMap(({ target, text, isReadOnly: only }) => {
    if (text === undefined || taken.has(target)) return [];
    const source = path.join(etcFolder, path.basename(target));
    writeInPlace(source, text);
    return [{ source, target, isReadOnly: only }];
  });
}

/** Writes into the existing file: containers have mounted its inode. */
function writeInPlace(file: string, text: string): void {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const opened = inFolder(path.dirname(file), () => openSync(file, O_RDWR | O_CREAT | O_NOFOLLOW, MODE));
  try {
    if (readFileSync(opened, 'utf8') === text) return;
    ftruncateSync(opened);
    writeSync(opened, text, 0);
  } finally {
    closeSync(opened);
  }
  chmodSync(file, MODE);
}

/** The text of a file of the host. Empty when the host has no such file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
