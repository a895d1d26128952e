import { describe, expect, it } from 'vitest';
import { linesOf, podOf } from './objects.ts';

describe('mounts', () => {
  const volumes = [
    { name: 'v', emptyDir: {} },
    { name: 'i', image: { reference: 'x' } },
    { name: 'disk', persistentVolumeClaim: { claimName: 'c' } },
  ];
  const C = 'spec.containers[0]';
  const mounting = (mount: object, fields: object = {}): string[] =>
    linesOf(podOf({ volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }], ...fields }, { volumes }));

  it.each([
    { subPath: 'a/b' },
    { subPathExpr: '$(POD)' },
    { mountPropagation: 'HostToContainer' },
    { readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'None' },
    { recursiveReadOnly: 'Disabled' },
    { name: 'i' },
    { name: 'i', subPath: 'a' },
  ])('take %j', (mount) => {
    expect(mounting(mount)).toEqual([]);
  });

  it.each([
    { mount: { subPath: '/a' }, want: ['volumeMounts.subPath: Invalid value: "/a": must be a relative path'] },
    {
      mount: { recursiveReadOnly: 'IfPossible', mountPropagation: 'HostToContainer' },
      want: [
        'volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true',
        'volumeMounts.recursiveReadOnly: Forbidden: ' +
          'may only be specified when mountPropagation is None or not specified',
      ],
    },
  ])('refuse $mount', ({ mount, want }) => {
    expect(mounting(mount)).toEqual(want.map((line) => `${C}.${line}`));
  });

  it('are shared both ways by privileged containers only', () => {
    const mount = { mountPropagation: 'Bidirectional' };
    expect(mounting(mount)).toHaveLength(1);
    expect(mounting(mount, { securityContext: { privileged: true } })).toEqual([]);
  });

  it('do not meet devices', () => {
    const volumeDevices = [
      { name: 'disk', devicePath: '/v' },
      { name: 'disk', devicePath: '/dev/../sda' },
      { name: 'none', devicePath: '' },
    ];
    expect(mounting({ name: 'disk' }, { volumeDevices })).toEqual(
      [
        'volumeMounts[0].name: Invalid value: "disk": must not already exist in volumeDevices',
        'volumeMounts[0].mountPath: Invalid value: "/v": must not already exist as a path in volumeDevices',
        'volumeDevices[0].name: Invalid value: "disk": must not already exist in volumeMounts',
        'volumeDevices[0].devicePath: Invalid value: "/v": must not already exist as a path in volumeMounts',
        'volumeDevices[1].name: Invalid value: "disk": must be unique',
        'volumeDevices[1].devicePath: Invalid value: "/dev/../sda": can not contain backsteps (\'..\')',
        'volumeDevices[1].name: Invalid value: "disk": must not already exist in volumeMounts',
        'volumeDevices[2].name: Not found: "none"',
        'volumeDevices[2].devicePath: Required value',
      ].map((line) => `${C}.${line}`),
    );
  });
});
