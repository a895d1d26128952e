import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { quietly, readQuietly } from './quietly.ts';

/*
 * The machine and the PID namespace of this process. A pid and a start time identify a process only there, but
 * processes of several containers or machines may share a state folder.
 */

/** Source: machine-id(5). */
const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
const MACHINE_ID = /^[\da-f]{32}$/;
/** Hostnames that many machines have. */
const COMMON_HOSTNAMES: ReadonlySet<string> = new Set(['', '(none)', 'localhost', 'localhost.localdomain']);

/** The inode of this process's PID namespace, such as `4026531836`. Empty without PID namespaces or /proc. */
export function pidNamespace(): string {
  return /\d+/.exec(quietly(() => readlinkSync('/proc/self/ns/pid')) ?? '')?.[0] ?? '';
}

/**
 * Identifies this machine over all its boots, in 8 hexadecimal digits. A digest of the machine-id and the hostname:
 * copies of a disk share the machine-id, and many containers have none. Empty: nothing identifies the machine.
 */
export function machineId(): string {
  return machineIdOf(MACHINE_ID_FILES.map(firstLine).find((id) => MACHINE_ID.test(id)) ?? '', hostname());
}

function machineIdOf(id: string, host: string): string {
  const name = COMMON_HOSTNAMES.has(host) ? '' : host;
  return id === '' && name === '' ? '' : digest(`${id} ${name}`);
}

let ownTag: string | undefined;

/**
 * Identifies the machine and the PID namespace in 8 hexadecimal digits. Stands beside a pid in the names of files that
 * one process uses. The boot id replaces a missing machine id.
 */
export function machineTag(): string {
  ownTag ??= digest(`${machineId() || firstLine('/proc/sys/kernel/random/boot_id')} ${pidNamespace()}`);
  return ownTag;
}

function firstLine(file: string): string {
  return readQuietly(file).split('\n', 1)[0]?.trim() ?? '';
}

/** FNV-1a, 32 bits: Node's crypto module would take milliseconds of every start. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
