import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/*
 * The place of this process: machine, boot and PID namespace. A pid and a start time name a process in one place only;
 * processes of several containers or machines may share a state folder.
 */

/** Source: machine-id(5). */
const MACHINE_ID_FILES = ['/etc/machine-id', '/var/lib/dbus/machine-id'];
const MACHINE_ID = /^[\da-f]{32}$/;
/** Hostnames that thousands of machines have. */
const COMMON_HOSTNAMES: ReadonlySet<string> = new Set(['', '(none)', 'localhost', 'localhost.localdomain']);

/** The inode of this process's PID namespace, as `4026531836`; empty where the system has none, or no /proc. */
export function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '';
  } catch {
    return '';
  }
}

/**
 * Names this machine over all its boots, in 8 hexadecimal digits: a digest of the machine-id and the hostname, since
 * copies of a disk or an image share the machine-id, and many containers have none. Empty: it cannot be told from
 * others.
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
 * Names the machine and the PID namespace in 8 hexadecimal digits, which stand beside a pid in names of files that only
 * one process uses. A machine without a name is named after its boot.
 */
export function placeTag(): string {
  ownTag ??= digest(`${machineId() || firstLine('/proc/sys/kernel/random/boot_id')} ${pidNamespace()}`);
  return ownTag;
}

function firstLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0]?.trim() ?? '';
  } catch {
    return '';
  }
}

/** FNV-1a, 32 bits: Node's crypto module would take milliseconds of every start. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}
