import { closeSync } from 'node:fs';
import { quietly, readQuietly, filesIn } from '../../quietly.ts';

const DESCRIPTORS = '/proc/self/fd';
/** Source: include/uapi/asm-generic/fcntl.h. */
const O_CLOEXEC = 0o2000000;

/**
 * Closes the descriptors that this process has inherited beside its standard streams: every container would have them,
 * and a descriptor of a folder leads out of a container (CVE-2024-21626). Node itself checks only the lowest ones. Only
 * podrun's own program calls this: a library must not close the descriptors of its user. Linux only.
 */
export function closeInheritedDescriptors(): void {
  for (const name of filesIn(DESCRIPTORS)) {
    const fd = Number(name);
    // The descriptor of the folder itself is closed already.
    if (fd > 2 && isInheritable(fd)) quietly(() => closeSync(fd));
  }
}

/** True for inherited descriptors. Descriptors of Node and libuv are closed on exec, and must stay open. */
function isInheritable(fd: number): boolean {
  const text = readQuietly(`/proc/self/fdinfo/${fd}`);
  const [, flags = ''] = /^flags:\s*(\d+)/m.exec(text) ?? [];
  return flags !== '' && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
}
