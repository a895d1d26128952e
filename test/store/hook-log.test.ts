import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendToHookLog, ContainerLog } from '../../src/store/logs/container-log.ts';
import { hookLogPath, instanceLogPath, newestHookLog } from '../../src/store/logs/log-files.ts';
import { LogReader } from '../../src/store/logs/log-reader.ts';
import { temporaryFolder } from './temporary-store.ts';

const WRITTEN_MS = Date.UTC(2026, 0, 15);

const newLogs = (): string => path.join(temporaryFolder(), 'logs');

describe('the log of hooks and probes', () => {
  it('has the format of container runtimes, with tags for hooks and probes', () => {
    const file = hookLogPath(newLogs(), 'main', 0);
    appendToHookLog(file, { handler: 'preStop', stream: 'stderr', lines: Buffer.from('one\ntwo\n') }, WRITTEN_MS);
    appendToHookLog(file, { handler: 'preStop', stream: undefined, lines: Buffer.from('ended\n') }, WRITTEN_MS);
    expect(readFileSync(file, 'utf8')).toBe(
      '2026-01-15T00:00:00.000000000Z stderr F:preStop one\n' +
        '2026-01-15T00:00:00.000000000Z stderr F:preStop two\n' +
        '2026-01-15T00:00:00.000000000Z stdout F:preStop:note ended\n',
    );
    const records = new LogReader(file).next();
    expect(records.map(({ handler, isNote, content }) => [handler, isNote, content])).toEqual([
      ['preStop', false, 'one'],
      ['preStop', false, 'two'],
      ['preStop', true, 'ended'],
    ]);
  });

  it('is no larger than two files of a megabyte', () => {
    const file = hookLogPath(newLogs(), 'main', 0);
    const lines = Buffer.from(`${'x'.repeat(9999)}\n`.repeat(30));
    for (let piece = 0; piece < 12; piece++)
      appendToHookLog(file, { handler: 'h', stream: 'stdout', lines }, WRITTEN_MS);
    const sizes = readdirSync(path.dirname(file)).map((name) => statSync(path.join(path.dirname(file), name)).size);
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024);
  });

  it('goes with the log of its instance', () => {
    const logs = newLogs();
    for (let attempt = 0; attempt < 4; attempt++) {
      appendToHookLog(hookLogPath(logs, 'main', attempt), { handler: 'h', stream: 'stdout', lines: LINE }, WRITTEN_MS);
      const log = new ContainerLog(instanceLogPath(logs, 'main', attempt));
      log.write('stdout', Buffer.from('x\n'), WRITTEN_MS);
      log.close();
    }
    const left = readdirSync(path.join(logs, 'main')).toSorted();
    expect(left).toEqual(['2.hooks.log', '2.log', '3.hooks.log', '3.log']);
  });

  it('of the newest instance is found by its number', () => {
    const logs = newLogs();
    expect(newestHookLog(logs, 'main')).toBeUndefined();
    mkdirSync(path.join(logs, 'main'), { recursive: true });
    for (const name of ['9.hooks.log', '10.hooks.log', '9.hooks.log.20260115-000000.000000', '11.log']) {
      writeFileSync(path.join(logs, 'main', name), '');
    }
    expect(newestHookLog(logs, 'main')).toBe(10);
  });
});

const LINE = Buffer.from('line\n');
