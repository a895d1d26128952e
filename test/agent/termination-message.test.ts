import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  closeTerminationLog,
  linkTerminationLog,
  makeTerminationLog,
  terminationMessage,
  withTerminationLog,
} from '../../src/agent/termination-message.ts';
import type { Container } from '../../src/api/generated/types.ts';
import { podWith } from '../lifecycle/base-objects.ts';
import { temporaryFolder } from './volumes/temporary-folder.ts';

const FILE = '/state/pods/default/web/termination/main.0';
const own = (terminationMessagePath: string): Container => ({ name: 'main', terminationMessagePath });

describe('the default path of the termination log', () => {
  it.each([
    ['/dev/termination-log', FILE],
    ['echo done > /dev/termination-log', `echo done > ${FILE}`],
    ['echo done >/dev/termination-log; exit 1', `echo done >${FILE}; exit 1`],
    ['tee "/dev/termination-log" </dev/null', `tee "${FILE}" </dev/null`],
    ['--log=/dev/termination-log,/dev/termination-log', `--log=${FILE},${FILE}`],
    ['/host/dev/termination-log', '/host/dev/termination-log'],
    ['/dev/termination-log.old /dev/termination-logs', '/dev/termination-log.old /dev/termination-logs'],
  ])('in %j gives way to the file', (text, want) => {
    expect(withTerminationLog(text, { name: 'main' }, FILE)).toBe(want);
  });

  it('stays in a script that could not hold the path of the file', () => {
    const file = '/my state/0';
    expect(withTerminationLog('echo > /dev/termination-log', { name: 'main' }, file)).toContain('/dev/termination-log');
    expect(withTerminationLog('/dev/termination-log', { name: 'main' }, file)).toBe(file);
  });

  it('means nothing where the container has chosen another', () => {
    expect(withTerminationLog('/dev/termination-log', own('/tmp/x'), FILE)).toBe('/dev/termination-log');
  });

  it('is never made on the host', () => {
    const file = path.join(temporaryFolder(), 'main.0');
    makeTerminationLog(file);
    expect(linkTerminationLog(own('/dev/termination-log'), file)).toBe(true);
    expect(existsSync('/dev/termination-log')).toBe(false);
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

describe('a path of its own', () => {
  it('leads to the file while the container runs', () => {
    const folder = temporaryFolder();
    const [link, file] = [path.join(folder, 'here'), path.join(folder, 'main.0')];
    makeTerminationLog(file);
    expect(linkTerminationLog(own(link), file)).toBe(true);
    expect(readlinkSync(link)).toBe(file);
    closeTerminationLog(own(link), file);
    expect(existsSync(link)).toBe(false);
  });

  it('replaces nothing that is there, and says so', () => {
    const folder = temporaryFolder();
    const taken = path.join(folder, 'taken');
    writeFileSync(taken, 'mine');
    expect(linkTerminationLog(own(taken), path.join(folder, 'main.0'))).toBe(false);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
  });
});

describe('a link', () => {
  it('of an earlier run leads to the next one, and stays where it is somebody else’s', () => {
    const folder = temporaryFolder();
    const file = (name: string): string => path.join(folder, name);
    const link = file('here');
    expect(['main.0', 'main.1'].map((name) => linkTerminationLog(own(link), file(name)))).toEqual([true, true]);
    for (const other of ['mai.1', 'main2.1', 'main-1.0']) {
      expect(linkTerminationLog(own(link), file(other))).toBe(false);
      closeTerminationLog(own(link), file(other));
    }
    expect(readlinkSync(link)).toBe(file('main.1'));
  });
});

describe('the termination message', () => {
  const message = (text: string, containers = 1, log = '', exitCode = 1) => {
    const file = path.join(temporaryFolder(), '0');
    writeFileSync(file, text);
    const list = Array.from({ length: containers }, (_, index) => ({ name: `c${index}` }));
    const container: Container = { name: 'c0', terminationMessagePolicy: 'FallbackToLogsOnError' };
    const sources = {
      file,
      logTail: (lines: number) =>
        log
          .split(/(?<=\n)/)
          .slice(-lines)
          .join(''),
    };
    return terminationMessage(podWith({ containers: list }), container, exitCode, sources);
  };

  it('is the end of the file, 4096 bytes', () => {
    expect(message(`${'x'.repeat(5000)}end`)).toBe(`${'x'.repeat(4093)}end`);
  });

  it('leaves each of many containers a share of 12 KiB', () => {
    expect(message('y'.repeat(5000), 6)).toHaveLength(2048);
  });

  it('is the end of the log of a container that failed and wrote none: 80 lines, 2048 bytes', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`);
    const log = lines.join('');
    expect(message('', 1, log)).toBe(lines.slice(-80).join(''));
    expect(message('', 1, 'DONE')).toBe('DONE');
    expect(message('', 1, 'z'.repeat(3000))).toHaveLength(2048);
    expect(message('', 1, log, 0)).toBeUndefined();
    expect(message('file', 1, log)).toBe('file');
  });
});
