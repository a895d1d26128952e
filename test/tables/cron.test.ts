import { describe, expect, it, vi } from 'vitest';
import { nextTime } from '../../src/api/cron/next-time.ts';
import { parseSchedule } from '../../src/api/cron/schedule.ts';
import { machineZone, Zone } from '../../src/api/cron/zone.ts';
import { tableRows } from './table.ts';

interface CronRow {
  readonly id: string;
  readonly schedule: string;
  readonly timeZone?: string;
  readonly from?: string;
  readonly next?: readonly string[];
  readonly error?: string;
}

const rows = tableRows<CronRow>('cron');

describe('cron', () => {
  it.each(rows.filter(({ error }) => error !== undefined))('$id is refused: $schedule', ({ schedule, error }) => {
    expect(parseSchedule(schedule)).toEqual({ problem: error });
  });

  it.each(rows.filter(({ next }) => next !== undefined))('$id: $schedule', (row) => {
    const { schedule, timeZone = 'UTC', from = '', next = [] } = row;
    const parsed = parseSchedule(schedule);
    if ('problem' in parsed) throw new Error(parsed.problem);
    const zone = new Zone(timeZone);
    const times: string[] = [];
    for (let ms: number | undefined = Date.parse(from); times.length < next.length;) {
      ms = nextTime(parsed, ms, zone);
      times.push(ms === undefined ? 'never' : new Date(ms).toISOString().replace('.000Z', 'Z'));
      if (ms === undefined) break;
    }
    expect(times).toEqual(next);
  });
});

it('an empty TZ means UTC', () => {
  vi.stubEnv('TZ', '');
  expect(machineZone()).toBe('UTC');
  vi.unstubAllEnvs();
});
