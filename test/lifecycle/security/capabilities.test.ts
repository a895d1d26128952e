import { describe, expect, it } from 'vitest';
import {
  capabilitiesOf,
  unknownCapabilities,
  wantedCapabilities,
} from '../../../src/lifecycle/security/capabilities.ts';

/** The masks of `grep Cap /proc/self/status` in a container of containerd, without CAP_MKNOD. */
const USUAL = '00000000a00425fb';
const OF_ROOT = '000001ffffffffff';

describe('the capabilities of a container', () => {
  const usual = capabilitiesOf(USUAL);
  const all = capabilitiesOf(OF_ROOT);

  it.each([
    { name: 'nothing is asked', changes: {}, want: usual },
    { name: 'one is added', changes: { add: ['SYS_TIME'] }, want: [...usual, 'sys_time'] },
    { name: 'mknod is added', changes: { add: ['MKNOD'] }, want: [...usual, 'mknod'] },
    { name: 'one is added that exists already', changes: { add: ['KILL'] }, want: usual },
    { name: 'one is dropped', changes: { drop: ['NET_RAW'] }, want: usual.filter((one) => one !== 'net_raw') },
    { name: 'all are dropped', changes: { drop: ['ALL'] }, want: [] },
    { name: 'all are dropped, in lower case', changes: { drop: ['all'] }, want: [] },
    { name: 'all are added, in mixed case', changes: { add: ['All'] }, want: all },
    {
      name: 'all are dropped but one',
      changes: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
      want: ['net_bind_service'],
    },
    { name: 'all are added', changes: { add: ['ALL'] }, want: all },
    {
      name: 'all are added but one',
      changes: { add: ['ALL'], drop: ['BPF'] },
      want: all.filter((one) => one !== 'bpf'),
    },
    { name: 'one is added and dropped', changes: { add: ['BPF'], drop: ['BPF'] }, want: usual },
    { name: 'it is written in lower case', changes: { add: ['bpf'], drop: ['ALL'] }, want: ['bpf'] },
    { name: 'there is no such thing', changes: { add: ['CAP_BPF', 'FLY'], drop: ['CAP_KILL'] }, want: usual },
  ])('equal those on a node without mknod, as the manifest changes them: $name', ({ changes, want }) => {
    expect(new Set(wantedCapabilities(changes))).toEqual(new Set(want));
  });

  it('are named by their bits', () => {
    expect(usual).toHaveLength(13);
    expect(all).toHaveLength(41);
    expect(capabilitiesOf('0')).toEqual([]);
    expect(capabilitiesOf('0000010000000000')).toEqual(['checkpoint_restore']);
  });

  it('that do not exist are listed', () => {
    expect(unknownCapabilities(['ALL', 'all', 'net_raw', 'CAP_KILL', 'FLY'])).toEqual(['CAP_KILL', 'FLY']);
  });
});
