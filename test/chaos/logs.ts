import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseRecord } from '../../src/store/logs/cri-line.ts';

/** What was in the pipe when podrun was killed: Linux' capacity of one. */
const PIPE_BYTES = 64 * 1024;

/** What is wrong with the logs of the writers of scenario.ts: a line each. */
export interface LogCheck {
  readonly stateDir: string;
  /** Where the writers keep their ledgers. */
  readonly ledgers: string;
  /** podrun was killed: what was still in a pipe then is lost. */
  readonly wasKilled: boolean;
}

/**
 * Compares the log of every instance with the ledger that the instance kept: whatever was written is there, once, in
 * order and unchanged, from the first byte on.
 */
export function faultsInLogs({ stateDir, ledgers, wasKilled }: LogCheck): string[] {
  return logFiles(path.join(stateDir, 'pods')).flatMap((file) => {
    const text = outputIn(file);
    const [, id] = /^begin (\S+)\n/.exec(text) ?? [];
    if (id === undefined)
      return 'begin '.startsWith(text.slice(0, 6)) ? [] : [`${file} begins with ${text.slice(0, 50)}`];
    const ledger = path.join(ledgers, id);
    const noted = existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length - 1 : 0;
    const lines = text.split('\n').slice(1, -1);
    const wrong = lines.findIndex((line, index) => line.split(' ')[0] !== String(index) || !/^\d+ x+$/.test(line));
    if (wrong >= 0) return [`${file}: line ${wrong} is ${lines[wrong]?.slice(0, 50)}`];
    const lengths = new Set(lines.map((line) => line.length - line.indexOf(' ')));
    if (lengths.size > 1) return [`${file}: some lines are cut short`];
    const [width = 0] = lengths;
    const missing = noted - lines.length;
    const isTolerable = wasKilled ? missing * (width + 4) <= PIPE_BYTES : missing <= 0;
    return isTolerable ? [] : [`${file}: ${missing} of ${noted} lines are missing`];
  });
}

/** What a container wrote to stdout, as its log has it. */
export function outputIn(file: string): string {
  return readFileSync(file)
    .toString('latin1')
    .split('\n')
    .flatMap((line) => {
      const record = parseRecord(Buffer.from(line, 'latin1'));
      return record === undefined ? [] : [record.content.toString('latin1') + (record.isEnd ? '\n' : '')];
    })
    .join('');
}

function logFiles(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\/logs\/[^/]+\/\d+\.log$/.test(name)).map((name) => path.join(folder, name));
}
