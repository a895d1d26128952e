import { describe, expect, it } from 'vitest';
import { container, linesOf, pod, podOf } from './objects.ts';

const C = 'spec.containers[0].securityContext';

describe('security context of a container', () => {
  it.each([
    { seccompProfile: { type: 'Localhost', localhostProfile: 'profiles/audit.json' } },
    { appArmorProfile: { type: 'Localhost', localhostProfile: 'mine' } },
    { allowPrivilegeEscalation: false, capabilities: { add: ['SYS_ADMIN'], drop: ['ALL'] } },
    { procMount: 'Default', runAsUser: 0, runAsGroup: 2 ** 31 - 1 },
  ])('takes %j', (securityContext) => {
    expect(linesOf(podOf({ securityContext }))).toEqual([]);
  });

  it.each([
    {
      context: { seccompProfile: { localhostProfile: 'a' } },
      want: [
        'seccompProfile.type: Required value: type is required when seccompProfile is set',
        'seccompProfile.localhostProfile: Invalid value: {"localhostProfile":"a"}: ' +
          'can only be set when seccomp type is Localhost',
      ],
    },
    {
      context: { seccompProfile: { type: 'Localhost', localhostProfile: '../a' } },
      want: ['seccompProfile.localhostProfile: Invalid value: "../a": must not contain \'..\''],
    },
    {
      context: { appArmorProfile: {} },
      want: ['appArmorProfile.type: Required value: type is required when appArmorProfile is set'],
    },
    {
      context: { appArmorProfile: { type: 'Unconfined', localhostProfile: 'a' } },
      want: ['appArmorProfile.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost'],
    },
    {
      context: { appArmorProfile: { type: 'Localhost', localhostProfile: ' a' } },
      want: ['appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace'],
    },
    {
      context: { appArmorProfile: { type: 'Localhost', localhostProfile: 'a'.repeat(4096) } },
      want: ['appArmorProfile.localhostProfile: Too long: may not be more than 4095 bytes'],
    },
    {
      context: { procMount: 'Open' },
      want: ['procMount: Unsupported value: "Open": supported values: "Default", "Unmasked"'],
    },
    {
      context: { runAsGroup: 2 ** 31 },
      want: ['runAsGroup: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive'],
    },
  ])('refuses $context', ({ context, want }) => {
    expect(linesOf(podOf({ securityContext: context }))).toEqual(want.map((line) => `${C}.${line}`));
  });

  it('may see an unmasked /proc with users of its own', () => {
    const securityContext = { procMount: 'Unmasked' };
    expect(linesOf(podOf({ securityContext }, { hostUsers: false }))).toEqual([]);
  });
});

describe('security context of a Pod', () => {
  const sysctls = (...names: string[]): Record<string, unknown> => ({
    securityContext: { sysctls: names.map((name) => ({ name })) },
  });

  it.each([
    { name: 'net.ipv4.ip_forward', spec: { hostNetwork: true }, shared: 'hostNetwork' },
    { name: 'net/ipv4/conf/eth0.1/forwarding', spec: { hostNetwork: true }, shared: 'hostNetwork' },
    { name: 'kernel.shm_rmid_forced', spec: { hostIPC: true }, shared: 'hostIPC' },
    { name: 'kernel.sem', spec: { hostIPC: true }, shared: 'hostIPC' },
    { name: 'fs.mqueue.msg_max', spec: { hostIPC: true }, shared: 'hostIPC' },
  ])('may not set $name in namespaces of the host', ({ name, spec, shared }) => {
    expect(linesOf(pod(sysctls(name)))).toEqual([]);
    expect(linesOf(pod({ ...sysctls(name), ...spec }))).toEqual([
      `spec.securityContext.sysctls[0].name: Invalid value: "${name}": may not be specified when '${shared}' is true`,
    ]);
  });

  it('knows a kernel setting by its form', () => {
    expect(linesOf(pod(sysctls('a..b')))).toEqual([
      expect.stringContaining(
        'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*',
      ),
    ]);
  });

  it('has groups one by one, policies and shared namespaces', () => {
    const securityContext = { supplementalGroups: [1, -1], seLinuxChangePolicy: 'MountOption' };
    expect(linesOf(pod({ securityContext, hostPID: true, shareProcessNamespace: true }))).toEqual([
      'spec.securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive',
      'spec.securityContext.shareProcessNamespace: Invalid value: true: ' +
        'ShareProcessNamespace and HostPID cannot both be enabled',
      'spec.securityContext.seLinuxChangePolicy: Unsupported value: "MountOption": supported values: "Recursive"',
    ]);
  });

  it('has no users of its own in the namespaces of the host', () => {
    const spec = { hostUsers: false, hostNetwork: true, hostIPC: true };
    expect(linesOf(pod(spec))).toEqual(
      ['hostNetwork', 'HostIPC'].map((field) => `spec.${field}: Forbidden: when \`hostUsers\` is false`),
    );
  });
});

describe('operating systems', () => {
  it('Windows takes nothing of Linux, wherever it stands', () => {
    const spec = {
      os: { name: 'windows' },
      hostPID: true,
      hostIPC: false,
      securityContext: { runAsUser: 1, sysctls: [], fsGroup: 2 },
      initContainers: [container({ name: 'init', securityContext: { privileged: false } })],
    };
    expect(linesOf(pod(spec))).toEqual(
      [
        'securityContext.fsGroup',
        'securityContext.runAsUser',
        'hostPID',
        'initContainers[0].securityContext.privileged',
      ].map((field) => `spec.${field}: Forbidden: cannot be set for a windows pod`),
    );
  });

  it('Linux takes no options of Windows', () => {
    const securityContext = { windowsOptions: {} };
    expect(linesOf(pod({ os: { name: 'linux' }, securityContext }))).toEqual([
      'spec.securityContext.windowsOptions: Forbidden: windows options cannot be set for a linux pod',
    ]);
  });

  it('host processes are all or none, and on the network of the host', () => {
    const own = container({ name: 'b', securityContext: { windowsOptions: { hostProcess: false } } });
    const spec = { containers: [container(), own], securityContext: { windowsOptions: { hostProcess: true } } };
    expect(linesOf(pod(spec))).toEqual([
      'spec.containers[1].securityContext.windowsOptions.hostProcess: Invalid value: false: ' +
        'pod hostProcess value must be identical if both are specified, was true',
      'spec: Invalid value: "": ' +
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      'spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers',
    ]);
  });

  it.each([
    { user: 'ContainerUser', wrong: [] },
    { user: 'NT AUTHORITY\\Local Service', wrong: [] },
    { user: 'dom.example.com\\me', wrong: [] },
    { user: '', wrong: ['runAsUserName cannot be an empty string'] },
    { user: 'a\tb', wrong: ['runAsUserName cannot contain control characters'] },
    { user: 'a\\b\\c', wrong: ['runAsUserName cannot contain more than one backslash'] },
    { user: 'a:b\\', wrong: ["Domain doesn't match the NetBios nor the DNS format", 'User cannot be empty'] },
    { user: '. .', wrong: ['cannot contain only periods or spaces'] },
    { user: 'a*', wrong: ['cannot contain the following characters: "/\\:;|=,+*?<>@[]'] },
    { user: 'u'.repeat(105), wrong: ['must not be longer than 104 characters'] },
  ])('user $user', ({ user, wrong }) => {
    const lines = linesOf(podOf({ securityContext: { windowsOptions: { runAsUserName: user } } }));
    expect(lines).toEqual(wrong.map((text) => expect.stringContaining(text)));
  });

  it('credentials of Windows fit into 64 KiB', () => {
    const windowsOptions = { gmsaCredentialSpecName: 'A', gmsaCredentialSpec: '' };
    expect(linesOf(podOf({ securityContext: { windowsOptions } }))).toEqual([
      expect.stringMatching(/gmsaCredentialSpecName: Invalid value: "A": a lowercase RFC 1123 subdomain/),
      `${C}.windowsOptions.gmsaCredentialSpec: Invalid value: "": gmsaCredentialSpec cannot be an empty string`,
    ]);
  });
});
