import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import {
  podSecurityChangeWarnings,
  podSecurityProblem,
  podSecurityWarning,
} from '../../../src/manifest/admission/pod-security/evaluate.ts';
import { container, pod } from '../objects.ts';

const labels = (level: string, version = 'latest', mode = 'enforce'): Record<string, string> => ({
  [`pod-security.kubernetes.io/${mode}`]: level,
  [`pod-security.kubernetes.io/${mode}-version`]: version,
});

/** A Pod that every level takes, but for some fields. */
function tightPod(fields: { metadata?: object; spec?: object; context?: object; main?: object } = {}): StoredPod {
  const securityContext = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    ...fields.context,
  };
  const own = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
  const spec = { securityContext: own, containers: [container({ name: 'a', securityContext, ...fields.main })] };
  const made = pod({ ...spec, ...fields.spec });
  return { ...made, metadata: { ...made.metadata, ...fields.metadata } } as unknown as StoredPod;
}

const problem = (pod: StoredPod, level: string, version?: string): string | undefined =>
  podSecurityProblem(labels(level, version), pod)?.replace(/^violates PodSecurity "[^"]*": /, '');

describe('a namespace that enforces a level', () => {
  it('takes Pods that keep to it, and every Pod when privileged', () => {
    expect(problem(tightPod(), 'restricted')).toBeUndefined();
    expect(problem(tightPod({ spec: { hostPID: true } }), 'privileged')).toBeUndefined();
    expect(podSecurityProblem(undefined, tightPod({ spec: { hostPID: true } }))).toBeUndefined();
  });

  it('names its level and version', () => {
    const shared = tightPod({ spec: { hostNetwork: true, hostIPC: true } });
    expect(podSecurityProblem(labels('baseline', 'v1.30'), shared)).toBe(
      'violates PodSecurity "baseline:v1.30": host namespaces (hostNetwork=true, hostIPC=true)',
    );
  });

  const port = (hostPort: number): object => ({ containerPort: 80, hostPort });
  const probe = { httpGet: { host: 'example.com', port: 80 } };
  const set = (context: object): Parameters<typeof tightPod>[0] => ({ context });
  const volumes = [{ name: 'v', hostPath: { path: '/' } }];
  const armor = { annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'unconfined' } };
  it.each<[Parameters<typeof tightPod>[0], string]>([
    [{ main: { ports: [port(80), port(443)] } }, 'hostPort (container "a" uses hostPorts 443, 80)'],
    [{ main: { ports: [port(80)] } }, 'hostPort (container "a" uses hostPort 80)'],
    [{ spec: { volumes } }, 'hostPath volumes (volume "v")'],
    [set({ privileged: true }), 'privileged (container "a" must not set securityContext.privileged=true)'],
    [
      { main: { livenessProbe: probe } },
      'probe or lifecycle host (container "a" uses probe or lifecycle host "example.com")',
    ],
    [set({ procMount: 'Unmasked' }), 'procMount (container "a" must not set securityContext.procMount to "Unmasked")'],
    [
      set({ seLinuxOptions: { type: 'spc_t', user: 'u' } }),
      'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [
      set({ capabilities: { add: ['NET_ADMIN', 'CHOWN'] } }),
      'non-default capabilities (container "a" must not include "NET_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      set({ seccompProfile: { type: 'Unconfined' } }),
      'seccompProfile (container "a" must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      { spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } } },
      'forbidden sysctls (kernel.msgmax)',
    ],
    [
      { metadata: armor },
      'forbidden AppArmor profile (annotation must not set AppArmor profile type to ' +
        '"container.apparmor.security.beta.kubernetes.io/a="unconfined"")',
    ],
    [
      { spec: { securityContext: { windowsOptions: { hostProcess: true } } } },
      'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    ],
  ])('baseline does not take %j', (fields, why) => {
    expect(problem(tightPod(fields), 'baseline')).toBe(why);
  });

  it.each<[Parameters<typeof tightPod>[0], string]>([
    [
      set({ allowPrivilegeEscalation: undefined }),
      'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false)',
    ],
    [
      set({ capabilities: { drop: ['CHOWN'], add: ['CHOWN'] } }),
      'unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" ' +
        'must not include "CHOWN" in securityContext.capabilities.add)',
    ],
    [{ spec: { volumes } }, 'restricted volume types (volume "v" uses restricted volume type "hostPath")'],
    [
      { spec: { securityContext: { seccompProfile: { type: 'RuntimeDefault' } } } },
      'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    ],
    [
      set({ runAsNonRoot: false }),
      'runAsNonRoot != true (container "a" must not set securityContext.runAsNonRoot=false)',
    ],
    [set({ runAsUser: 0 }), 'runAsUser=0 (container "a" must not set runAsUser=0)'],
    [
      { spec: { securityContext: { runAsNonRoot: true } } },
      'seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or ' +
        '"Localhost")',
    ],
  ])('restricted does not take %j', (fields, why) => {
    expect(problem(tightPod(fields), 'restricted')).toBe(why);
  });

  const tcpMem = { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] } };
  it.each<[string, Parameters<typeof tightPod>[0], string, string]>([
    ['a probe of another host', { main: { livenessProbe: probe } }, 'v1.33', 'v1.34'],
    ['capabilities that stay', set({ capabilities: {} }), 'v1.21', 'v1.22'],
    ['the user 0', set({ runAsUser: 0 }), 'v1.22', 'v1.23'],
  ])('%s is forbidden by later versions alone', (_, fields, before, after) => {
    expect(problem(tightPod(fields), 'restricted', before)).toBeUndefined();
    expect(problem(tightPod(fields), 'restricted', after)).toBeDefined();
  });

  it('permits in later versions what is harmless by now', () => {
    expect(problem(tightPod({ spec: tcpMem }), 'baseline', 'v1.31')).toBe('forbidden sysctls (net.ipv4.tcp_rmem)');
    expect(problem(tightPod({ spec: tcpMem }), 'baseline', 'v1.32')).toBeUndefined();
    const windows = tightPod({ spec: { os: { name: 'windows' } }, context: { capabilities: undefined } });
    expect(problem(windows, 'restricted', 'v1.24')).toContain('unrestricted capabilities');
    expect(problem(windows, 'restricted', 'v1.25')).toBeUndefined();
  });

  it('looks at a change of a Pod only where it concerns security', () => {
    const before = tightPod({ context: { privileged: true } });
    const image = tightPod({ context: { privileged: true }, main: { image: 'other' } });
    expect(podSecurityProblem(labels('baseline'), image, before)).toBeUndefined();
    const debugged = tightPod({
      context: { privileged: true },
      spec: { ephemeralContainers: [container({ name: 'd' })] },
    });
    expect(podSecurityProblem(labels('baseline'), debugged, before)).toContain('privileged');
  });
});

describe('a namespace that warns', () => {
  it('warns of Pods and of workloads', () => {
    const warning = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)';
    const shared = tightPod({ spec: { hostPID: true } });
    const warn = labels('baseline', 'latest', 'warn');
    expect(podSecurityWarning(warn, shared as never)).toBe(warning);
    const template = { metadata: shared.metadata, spec: shared.spec };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { template } };
    expect(podSecurityWarning(warn, deployment)).toBe(warning);
    expect(podSecurityWarning(labels('baseline'), deployment)).toBeUndefined();
  });
});

it('a namespace that becomes stricter warns of the Pods in it, which stay', () => {
  const of = (name: string, fields?: Parameters<typeof tightPod>[0]): StoredPod =>
    tightPod({ ...fields, metadata: { name } });
  const shared = { spec: { hostPID: true } };
  const pods = [of('c', shared), of('a', shared), of('b'), of('d', { context: { privileged: true } })];
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: labels('baseline') } };
  expect(podSecurityChangeWarnings(namespace, labels('privileged'), pods)).toEqual([
    'existing pods in namespace "n" violate the new PodSecurity enforce level "baseline:latest"',
    'a (and 1 other pod): host namespaces',
    'd: privileged',
  ]);
  expect(podSecurityChangeWarnings(namespace, labels('restricted'), pods)).toEqual([]);
});
