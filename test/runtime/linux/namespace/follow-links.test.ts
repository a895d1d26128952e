import { describe, expect, it } from 'vitest';
import { followLinks } from '../../../../src/runtime/linux/paths/follow-links.ts';

const LINKS: Readonly<Record<string, string>> = {
  '/bin': 'usr/bin',
  '/var/run': '/run',
  '/loop': '/loop',
  '/out': '../../../etc',
  '/usr/bin/sh': './dash',
  '/a': '/b/c',
  '/b/c': '../d',
};

describe('followLinks()', () => {
  it.each([
    ['/', '/'],
    ['/etc//passwd/', '/etc/passwd'],
    ['/bin/sh', '/usr/bin/dash'],
    ['/var/run/secrets', '/run/secrets'],
    ['/out/passwd', '/etc/passwd'],
    ['/../../etc', '/etc'],
    ['/etc/../bin/x', '/usr/bin/x'],
    ['/a/e', '/d/e'],
    ['/not/there', '/not/there'],
    ['/loop/x', undefined],
  ])('%s leads to %s', (wanted, place) => {
    expect(followLinks(wanted, (at) => LINKS[at])).toBe(place);
  });
});
