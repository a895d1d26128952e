import { closeSync, readdirSync, readFileSync } from 'node:fs';

const DESCRIPTORS = '/proc/self/fd';
/** Source: include/uapi/asm-generic/fcntl.h. */
const O_CLOEXEC = 0o2000000;

/**
 * Closes the descriptors that this process has inherited beside its standard streams: every container would have them,
 * and a descriptor of a folder leads out of a container (CVE-2024-21626). Node itself checks only the lowest ones. Only
 * podrun's own program calls this: a library must not close the descriptors of its user. Linux only.
 */
export function closeInheritedDescriptors(): void {
  for (const name of namesIn(DESCRIPTORS)) {
    const fd = Number(name);
    if (fd <= 2 || !isInheritable(fd)) continue;
    try {
      closeSync(fd);
    } catch {
      // It is closed already: the descriptor of the folder itself.
    }
  }
}

/** True for inherited descriptors. Those of Node and libuv are closed on exec, and must stay open. */
function isInheritable(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    return false;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
