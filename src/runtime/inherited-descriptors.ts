import { closeSync, readdirSync, readFileSync } from 'node:fs';

const DESCRIPTORS = '/proc/self/fd';
/** Source: include/uapi/asm-generic/fcntl.h. */
const O_CLOEXEC = 0o2000000;

/**
 * Closes descriptors that this process was started with beside its standard streams, since every container would have
 * them: a descriptor of a folder leads out of a container (CVE-2024-21626). Node itself sees to the lowest ones only.
 * For programs of podrun's own: a library must not close what is somebody else's. Linux only.
 */
export function closeInheritedDescriptors(): void {
  for (const name of namesIn(DESCRIPTORS)) {
    const fd = Number(name);
    if (fd <= 2 || !isInheritable(fd)) continue;
    try {
      closeSync(fd);
    } catch {
      // It is closed already: the folder's own descriptor.
    }
  }
}

/** What Node or libuv has opened is closed on exec, and stays open. */
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
