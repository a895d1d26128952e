import { formatZone, timestampMs, twoDigits } from './age.ts';

/** The English of countries, whose dates have the short names of their zones: CET in Great Britain, EST in America. */
const LOCALES = ['en-US', 'en-GB', 'en-AU', 'en-IN', 'en-NZ', 'en-ZA', 'en-CA'];

/** The short names that no locale has, or another one than the zone itself. Source: the database of time zones. */
const NAMES: Readonly<Record<string, string>> = {
  'Asia/Colombo': '+0530',
  'Asia/Dubai': '+04',
  'Asia/Hong_Kong': 'HKT',
  'Asia/Jakarta': 'WIB',
  'Asia/Karachi': 'PKT',
  'Asia/Manila': 'PST',
  'Asia/Seoul': 'KST',
  'Asia/Shanghai': 'CST',
  'Asia/Taipei': 'CST',
  'Asia/Tokyo': 'JST',
  'Europe/Moscow': 'MSK',
};

/**
 * A time in the reader's zone as Go writes it by itself: `2026-01-15 12:59:11 +0100 CET`. A zone without a short name
 * has its distance: `+0600 +06`. A missing time is Go's zero time.
 */
export function goTimeText(timestamp: string | undefined | null): string {
  const atMs = timestampMs(timestamp);
  if (atMs === undefined) return '0001-01-01 00:00:00 +0000 UTC';
  const date = new Date(atMs);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  const offset = formatZone(-date.getTimezoneOffset());
  return `${day} ${clock} ${offset} ${zoneName(date) ?? offset.replace(/00$/, '')}`;
}

function zoneName(date: Date): string | undefined {
  const own = NAMES[new Intl.DateTimeFormat().resolvedOptions().timeZone];
  if (own !== undefined) return own;
  const names = LOCALES.map((locale) => {
    const parts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(date);
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  });
  return names.find((name) => /^[A-Z]+$/.test(name));
}
