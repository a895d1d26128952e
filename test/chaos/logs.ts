import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseRecord } from '../../src/store/logs/cri-line.ts';

/** The bytes that podrun may have read and not written, and the bytes that a pipe still holds. */
const LOST_BYTES_MAX = 2 * 64 * 1024;

/** The parameters of a check of the logs of the writers in scenario.ts. */
export interface LogCheck {
  readonly stateDir: string;
  /** The folder with the ledgers of the writers. */
  readonly ledgers: string;
  /** True when podrun was killed: output that podrun had read and not written is lost, with all later output. */
  readonly wasKilled: boolean;
}

/**
 * Compares the log of every instance with the ledger of that instance: each written line is in the log, once, in order
 * and unchanged, from the first byte on. Answers the faults, a line each.
 */
export function faultsInLogs({ stateDir, ledgers, wasKilled }: LogCheck): string[] {
  return logFiles(path.join(stateDir, 'pods')).flatMap((file) => {
    const [, id] = /^begin (\S+)\n/.exec(outputIn(file)) ?? [];
    const ledger = path.join(ledgers, id ?? '');
    // The ledger is read before the log: a writer that still runs adds to both, and its noted lines had time to reach
    // the log.
    const noted = id !== undefined && existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length - 1 : 0;
    const text = outputIn(file);
    if (id === undefined) return text === '' ? [] : [`${file} begins with ${text.slice(0, 50)}`];
    const lines = text.split('\n').slice(1, -1);
    const shapeless = lines.find((line) => !/^\d+ x+$/.test(line));
    if (shapeless !== undefined) return [`${file}: a line is ${shapeless.slice(0, 50)}`];
    const numbers = lines.map((line) => Number.parseInt(line, 10));
    const lengths = new Set(lines.map((line) => line.length - line.indexOf(' ')));
    if (lengths.size > 1) return [`${file}: some lines are cut short`];
    const [width = 0] = lengths;
    const isInOrder = numbers.every((number, index) => number === index);
    if (!isInOrder) return [`${file}: the lines are ${numbers.join(' ')}`];
    const missing = noted - numbers.length;
    const lost = missing * (`${noted} `.length + width);
    return lost <= (wasKilled ? LOST_BYTES_MAX : 0)
      ? []
      : [`${file}: ${missing} of ${noted} lines are missing at the end`];
  });
}

/** The standard output of a container, from its log. */
export function outputIn(file: string): string {
  return readFileSync(file)
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const record = parseRecord(line);
      return record === undefined ? [] : [record.content + (record.isEnd ? '\n' : '')];
    })
    .join('');
}

function logFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\/logs\/[^/]+\/\d+\.log$/.test(name)).map((name) => path.join(folder, name));
}
