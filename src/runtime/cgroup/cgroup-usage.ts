import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What the processes of a group have taken so far, those that have ended included, and hold now. */
export interface GroupUsage {
  readonly cpuSeconds: number;
  /** Without files that would be given up first: what a kubelet calls the working set. */
  readonly memoryBytes: number;
}

/**
 * Reads what the kernel has counted for a group; undefined when it does not count both, or the group is gone.
 * Source: google/cadvisor, container/libcontainer/handler.go (setMemoryStats).
 * @param folders of the group, one for each hierarchy
 */
export function groupUsage(folders: readonly string[]): GroupUsage | undefined {
  const read = (file: string): string | undefined => {
    for (const folder of folders) {
      const text = readIfThere(path.join(folder, file));
      if (text !== undefined) return text;
    }
    return undefined;
  };
  const cpuSeconds = seconds(read('cpuacct.usage'), 1e9) ?? seconds(valueIn(read('cpu.stat'), 'usage_usec'), 1e6);
  const stat = read('memory.stat');
  const current = read('memory.usage_in_bytes') ?? read('memory.current');
  if (cpuSeconds === undefined || current === undefined) return undefined;
  const idle = valueIn(stat, 'total_inactive_file') ?? valueIn(stat, 'inactive_file') ?? '0';
  return { cpuSeconds, memoryBytes: Math.max(0, Number(current) - Number(idle)) };
}

function seconds(count: string | undefined, perSecond: number): number | undefined {
  return count === undefined ? undefined : Number(count) / perSecond;
}

/** Of lines `NAME VALUE`. */
function valueIn(text: string | undefined, name: string): string | undefined {
  return new RegExp(`^${name} (\\d+)$`, 'm').exec(text ?? '')?.[1];
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
