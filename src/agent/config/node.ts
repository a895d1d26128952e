import { statfsSync } from 'node:fs';
import { availableParallelism, endianness, hostname, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Taint } from '../../api/generated/types.ts';
import type { NodeFacts } from '../../lifecycle/node/node-facts.ts';

/** What Go, and with it every Kubernetes label, calls this operating system and processor. */
const GO_OS: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };
const GO_ARCH: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Kubelet's `maxPods`. */
const MAX_PODS = 110;

/**
 * This machine as a Kubernetes node. Cheap: the size of the disk is only looked up by those who ask for it.
 * @param options.labels labels of the node beside the usual ones; they win
 * @param options.taints what keeps Pods away that do not tolerate it
 * @param options.maxPods how many Pods may run at a time; default: as many as a kubelet lets
 * @param options.storageDir where Pods put their files; it need not exist yet
 */
export function readNode(options: {
  storageDir: string;
  labels?: Readonly<Record<string, string>>;
  taints?: readonly Taint[];
  maxPods?: number | undefined;
}): NodeFacts {
  const name = hostname().trim().toLowerCase();
  const os = GO_OS[process.platform] ?? process.platform;
  const arch = goArch();
  return {
    name,
    labels: {
      'beta.kubernetes.io/arch': arch,
      'beta.kubernetes.io/os': os,
      'kubernetes.io/arch': arch,
      'kubernetes.io/hostname': name,
      'kubernetes.io/os': os,
      ...options.labels,
    },
    taints: options.taints ?? [],
    allocatable: {
      cpu: String(availableParallelism()),
      memory: `${Math.floor(memoryBytes() / 1024)}Ki`,
      pods: String(options.maxPods ?? MAX_PODS),
      get 'ephemeral-storage'(): string {
        return `${Math.floor(diskBytes(options.storageDir) / 1024)}Ki`;
      },
    },
    // Processes share the network of the host: what listens there is reached here.
    hostIPs: ['127.0.0.1'],
  };
}

function goArch(): string {
  if (process.arch === 'ppc64' && endianness() === 'LE') return 'ppc64le';
  return GO_ARCH[process.arch] ?? process.arch;
}

/** Inside a container with a memory limit, the limit is the machine. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Size of the file system that a directory is on, or will be on. */
function diskBytes(directory: string): number {
  try {
    const { blocks, bsize } = statfsSync(directory);
    return blocks * bsize;
  } catch (error) {
    const parent = dirname(directory);
    if (parent === directory) throw error;
    return diskBytes(parent);
  }
}
