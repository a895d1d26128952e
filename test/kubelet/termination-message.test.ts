import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { terminationMessage } from '../../src/kubelet/termination-message.ts';
import type { Container } from '../../src/api/generated/types.ts';
import { podWith } from '../lifecycle/base-objects.ts';
import { temporaryFolder } from './volumes/temporary-folder.ts';

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
