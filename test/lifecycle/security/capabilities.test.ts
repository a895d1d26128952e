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
    { name: 'nothing is asked', wish: {}, want: usual },
    { name: 'one is added', wish: { add: ['SYS_TIME'] }, want: [...usual, 'sys_time'] },
    { name: 'mknod is added', wish: { add: ['MKNOD'] }, want: [...usual, 'mknod'] },
    { name: 'one is added that is there', wish: { add: ['KILL'] }, want: usual },
    { name: 'one is dropped', wish: { drop: ['NET_RAW'] }, want: usual.filter((one) => one !== 'net_raw') },
    { name: 'all are dropped', wish: { drop: ['ALL'] }, want: [] },
    { name: 'all are dropped, in lower case', wish: { drop: ['all'] }, want: [] },
    { name: 'all are added, in mixed case', wish: { add: ['All'] }, want: all },
    { name: 'all are dropped but one', wish: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] }, want: ['net_bind_service'] },
    { name: 'all are added', wish: { add: ['ALL'] }, want: all },
    { name: 'all are added but one', wish: { add: ['ALL'], drop: ['BPF'] }, want: all.filter((one) => one !== 'bpf') },
    { name: 'one is added and dropped', wish: { add: ['BPF'], drop: ['BPF'] }, want: usual },
    { name: 'it is written in lower case', wish: { add: ['bpf'], drop: ['ALL'] }, want: ['bpf'] },
    { name: 'there is no such thing', wish: { add: ['CAP_BPF', 'FLY'], drop: ['CAP_KILL'] }, want: usual },
  ])('are those of a node without mknod, as the manifest changes them: $name', ({ wish, want }) => {
    expect(new Set(wantedCapabilities(wish))).toEqual(new Set(want));
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
