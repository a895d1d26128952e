import type { Stats } from 'node:fs';

/**
 * The devices that every container may use, by major and minor number: null, zero, full, random, urandom and tty.
 * Source: runc, libcontainer/specconv AllowedDevices; linux, Documentation/admin-guide/devices.txt.
 */
const STANDARD: ReadonlySet<number> = new Set([0x1_03, 0x1_05, 0x1_07, 0x1_08, 0x1_09, 0x5_00]);

/** True for a device of the machine that every container has anyway. */
export function isStandardDevice(stats: Pick<Stats, 'isCharacterDevice' | 'rdev'> | undefined): boolean {
  return stats?.isCharacterDevice() === true && STANDARD.has(stats.rdev);
}
