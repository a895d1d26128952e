/** Questions of the store about processes. Handed in: only the runtime looks at processes. */
export interface ProcessLookup {
  /** When the process with that pid started, in the system's own words; undefined when there is no such process. */
  startTimeOf(pid: number): string | undefined;
  /** Names this boot of the machine. */
  bootId(): string;
  /** Names the PID namespace of this process; empty: the system has none. Absent: there is only one. */
  readonly pidNamespace?: (() => string) | undefined;
  /** Names this machine over all its boots; empty: it has no name. Absent: there is only one machine. */
  readonly machineId?: (() => string) | undefined;
  /** The name of this machine for messages. */
  readonly hostName?: (() => string) | undefined;
}

/**
 * A process for good: the system gives pids out again, but never with the same start time within one boot. Files of
 * older podruns have no PID namespace and no machine.
 */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace?: string | undefined;
  readonly machineId?: string | undefined;
}

/** What can be said of a process: that it exists, that it is gone, or neither, since it is out of sight. */
export type Presence = 'exists' | 'gone' | 'unknown';

/** The reason why a process is out of sight. */
export type Distance = 'another PID namespace' | 'another machine';

/** The process that has that pid now. A process that is gone has an empty start time, which no other process shares. */
export function knownProcess(pid: number, lookup: ProcessLookup): KnownProcess {
  return {
    pid,
    startTime: lookup.startTimeOf(pid) ?? '',
    bootId: lookup.bootId(),
    pidNamespace: lookup.pidNamespace?.(),
    machineId: lookup.machineId?.(),
  };
}

/**
 * Tells whether a process still exists. A process of another PID namespace is out of sight, and so is one of another
 * machine. A process of an earlier boot of this machine is gone, and so is one of another boot that does not name its
 * machine: an older podrun has recorded it.
 */
export function presenceOf(process: KnownProcess, lookup: ProcessLookup): Presence {
  if (distanceOf(process, lookup) !== undefined) return 'unknown';
  if (!isThisBoot(process, lookup) || process.startTime === '') return 'gone';
  return lookup.startTimeOf(process.pid) === process.startTime ? 'exists' : 'gone';
}

/** True when the process certainly exists. */
export function stillExists(process: KnownProcess, lookup: ProcessLookup): boolean {
  return presenceOf(process, lookup) === 'exists';
}

/** Undefined: the process is, or was, in sight. */
export function distanceOf(process: KnownProcess, lookup: ProcessLookup): Distance | undefined {
  const { pidNamespace: namespace, machineId: machine } = process;
  if (isThisBoot(process, lookup)) {
    const own = lookup.pidNamespace?.();
    return namespace === undefined || own === undefined || namespace === own ? undefined : 'another PID namespace';
  }
  const own = lookup.machineId?.();
  if (machine === undefined || own === undefined) return undefined;
  return machine === '' || machine !== own ? 'another machine' : undefined;
}

/** True for the very process that asks. */
export function isSelf(process: KnownProcess, lookup: ProcessLookup): boolean {
  return process.pid === globalThis.process.pid && stillExists(process, lookup);
}

/** Locks name a boot by its first 16 digits. */
function isThisBoot({ bootId }: KnownProcess, lookup: ProcessLookup): boolean {
  return bootId !== '' && lookup.bootId().startsWith(bootId);
}

/**
 * The same lookup, which asks for the place of this process only once: it does not change while the process lives.
 * Without the dashes of the boot a process described in text stays below 60 bytes: a symbolic link to it then needs no
 * room on a full disk.
 */
export function rememberPlace(lookup: ProcessLookup): ProcessLookup {
  let boot: string | undefined;
  let namespace: string | undefined;
  let machine: string | undefined;
  return {
    startTimeOf: (pid) => lookup.startTimeOf(pid),
    bootId: () => (boot ??= lookup.bootId().replaceAll('-', '')),
    pidNamespace: lookup.pidNamespace && (() => (namespace ??= lookup.pidNamespace?.() ?? '')),
    machineId: lookup.machineId && (() => (machine ??= lookup.machineId?.() ?? '')),
    hostName: lookup.hostName && (() => lookup.hostName?.() ?? ''),
  };
}
