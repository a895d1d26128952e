/** What the store must know of the machine's processes. Handed in: only the runtime looks at processes. */
export interface ProcessLookup {
  /** When the process with that pid started, in the system's own words; undefined when there is no such process. */
  startTimeOf(pid: number): string | undefined;
  /** Names this boot of the machine. */
  bootId(): string;
}

/** A process for good: the system gives pids out again, but never with the same start time within one boot. */
export interface KnownProcess {
  readonly pid: number;
  readonly startTime: string;
  readonly bootId: string;
}

/** Who has that pid now. A process that is gone has an empty start time, which no other process shares. */
export function knownProcess(pid: number, lookup: ProcessLookup): KnownProcess {
  return { pid, startTime: lookup.startTimeOf(pid) ?? '', bootId: lookup.bootId() };
}

/** Does that process still exist? */
export function stillExists({ pid, startTime, bootId }: KnownProcess, lookup: ProcessLookup): boolean {
  return bootId === lookup.bootId() && startTime !== '' && lookup.startTimeOf(pid) === startTime;
}

/**
 * The same lookup, which asks for the boot only once: it does not change while this process lives. Without the dashes a
 * process described in text stays below 60 bytes: a symbolic link to it then needs no room on a full disk.
 */
export function rememberBoot(lookup: ProcessLookup): ProcessLookup {
  let boot: string | undefined;
  return {
    startTimeOf: (pid) => lookup.startTimeOf(pid),
    bootId: () => (boot ??= lookup.bootId().replaceAll('-', '')),
  };
}
