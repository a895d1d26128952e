import { statfsSync } from 'node:fs';
import { availableParallelism, endianness, hostname, totalmem } from 'node:os';
import { dirname } from 'node:path';
import type { Taint } from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';

/** Go's names of operating systems and processors, which Kubernetes labels use. */
const GO_OS: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };
const GO_ARCH: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Kubelet's `maxPods`. */
const MAX_PODS = 110;

/**
 * This machine as a Kubernetes node. The size of the disk is read on first use.
 * @param options.labels labels beside the usual ones, which they override
 * @param options.taints taints of the node
 * @param options.maxPods the limit of Pods that run at a time. Default: a kubelet's
 * @param options.storageDir the folder for the files of Pods; it need not exist yet
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
    // Processes share the host's network: their ports are reached here.
    hostIPs: ['127.0.0.1'],
  };
}

/** The processor of this machine in Go's words, which images use as well. */
export function goArch(): string {
  if (process.arch === 'ppc64' && endianness() === 'LE') return 'ppc64le';
  return GO_ARCH[process.arch] ?? process.arch;
}

/** The memory limit of the container that podrun runs in, if any, or the machine's memory. */
function memoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** The size of the file system that will hold the directory. */
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
