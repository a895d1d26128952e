/** Times of day in a time zone. */
export interface ZonedTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/**
 * The time zone of this machine: an IANA name, or what stands for the local time where it has none. The first call in a
 * process takes 12 ms: ICU reads its data.
 */
export function machineZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  // An empty TZ means UTC.
  return timeZone === 'Etc/Unknown' ? 'UTC' : timeZone;
}

/** True for a time zone that this machine has rules for. Node 22 and later also accept offsets, which no zone has. */
export function isTimeZone(name: string): boolean {
  try {
    return !/^[+-]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** A time zone of the IANA, with the rules that this machine knows. */
export class Zone {
  readonly #format: Intl.DateTimeFormat;
  /** Offsets by quarters of an hour: zones change at these. */
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for an unknown time zone */
  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The time of day at a moment, in milliseconds since 1970. */
  at(ms: number): ZonedTime {
    const local = new Date(ms + this.offsetMs(ms));
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
      weekday: local.getUTCDay(),
    };
  }

  /**
   * The moment of a time of day. A time that does not exist or exists twice gets the offset before or after the change.
   * Source: Go's time.Date.
   */
  moment({ year, month, day, hour }: Pick<ZonedTime, 'year' | 'month' | 'day' | 'hour'>): number {
    const asUtc = Date.UTC(year, month - 1, day, hour);
    const guessed = asUtc - this.offsetMs(asUtc);
    return asUtc - this.offsetMs(guessed);
  }

  /** The milliseconds by which clocks of the zone are ahead of UTC. */
  offsetMs(ms: number): number {
    const quarter = Math.floor(ms / 900_000);
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const startMs = quarter * 900_000;
    const parts = Object.fromEntries(
      this.#format.formatToParts(startMs).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - startMs;
    this.#offsets.set(quarter, offset);
    return offset;
  }
}
