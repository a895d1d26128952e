/** Looks up processes for the store. The runtime implements it, since only the runtime may look at processes. */
export interface ProcessLookup {
  /** The start time of the process with a pid, in the system's format. Undefined when there is no such process. */
  startTimeOf(pid: number): string | undefined;
  /** True for a process that was killed and is gone in a moment. Absent: no process is. */
  readonly isEnding?: ((pid: number) => boolean) | undefined;
  /** The ID of this boot of the machine. */
  bootId(): string;
  /** The PID namespace of this process. Empty on a system without PID namespaces. Absent: there is only one. */
  readonly pidNamespace?: (() => string) | undefined;
  /** The ID of this machine, the same over all boots. Empty for a machine without one. Absent: one machine only. */
  readonly machineId?: (() => string) | undefined;
  /** The host name of this machine, for messages. */
  readonly hostName?: (() => string) | undefined;
}

/**
 * A process, identified for good: the system reuses pids, but never with the same start time within one boot. Files of
 * older versions of podrun contain no PID namespace and no machine.
 */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
  readonly pidNamespace?: string | undefined;
  readonly machineId?: string | undefined;
}

/** Tells whether a process exists. A process of another PID namespace or machine is unknown. */
export type Presence = 'exists' | 'gone' | 'unknown';

/** The reason why a process is unknown. */
export type Distance = 'another PID namespace' | 'another machine';

/** The process with a pid. For a process that is gone, the start time is empty: no other process matches then. */
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
 * Tells whether a process still exists. A process of another PID namespace or machine is unknown. A process of an
 * earlier boot of this machine is gone. So is a process of another boot without a machine, which an older version of
 * podrun has recorded.
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

/** The reason why the process cannot be seen from here. Undefined when it can. */
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

/** True for the current process. */
export function isSelf(process: KnownProcess, lookup: ProcessLookup): boolean {
  return process.pid === globalThis.process.pid && stillExists(process, lookup);
}

/** Compares the beginnings of boot IDs: locks contain only 16 digits. */
function isThisBoot({ bootId }: KnownProcess, lookup: ProcessLookup): boolean {
  return bootId !== '' && lookup.bootId().startsWith(bootId);
}

/**
 * The same lookup, which asks only once for boot, PID namespace and machine: they never change. The boot loses its
 * dashes: so the text of a process, as the target of a symbolic link, stays below 60 bytes and needs no block of a full
 * disk.
 */
export function withCachedIds(lookup: ProcessLookup): ProcessLookup {
  let boot: string | undefined;
  let namespace: string | undefined;
  let machine: string | undefined;
  return {
    startTimeOf: (pid) => lookup.startTimeOf(pid),
    isEnding: lookup.isEnding,
    bootId: () => (boot ??= lookup.bootId().replaceAll('-', '')),
    pidNamespace: lookup.pidNamespace && (() => (namespace ??= lookup.pidNamespace?.() ?? '')),
    machineId: lookup.machineId && (() => (machine ??= lookup.machineId?.() ?? '')),
    hostName: lookup.hostName && (() => lookup.hostName?.() ?? ''),
  };
}
