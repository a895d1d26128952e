import { readFileSync } from 'node:fs';

const KERNEL_UUID = '/proc/sys/kernel/random/uuid';

/**
 * A new UUID of version 4. Where the kernel hands them out, it is asked: loading the crypto module for the same takes
 * milliseconds of every start.
 */
export function newUid(): string {
  try {
    return readFileSync(KERNEL_UUID, 'latin1').trim();
  } catch {
    return globalThis.crypto.randomUUID();
  }
}
