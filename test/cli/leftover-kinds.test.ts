import { expect, it } from 'vitest';
import { PATIENCE_MS } from '../patience.ts';
import { workshopFor } from './workshop.ts';

const PLAIN = `
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {restartPolicy: Never, containers: [{name: c, image: busybox, command: [echo, ran]}]}
`;
const FLOWS = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: calm}
spec: {priorityLevelConfiguration: {name: calm}, matchingPrecedence: 500}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: calm}
spec: {type: Limited, limited: {nominalConcurrencyShares: 5, limitResponse: {type: Reject}}}
`;
const SERVICE = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1.none.example.com}
spec:
  group: none.example.com
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: none, namespace: default}
`;
const POLICY = `
apiVersion: policy/v1beta1
kind: PodSecurityPolicy
metadata: {name: old}
spec: {privileged: false}
`;

it.concurrent.for([
  { what: 'a FlowSchema and its priority level', files: FLOWS, lines: [/FlowSchema/, /PriorityLevelConfiguration/] },
  { what: 'an APIService without a server', files: SERVICE, lines: [/^serving the API of these objects/] },
  { what: 'a PodSecurityPolicy', files: POLICY, lines: [/no matches for kind "PodSecurityPolicy" .*ignored/] },
])('$what has one line, and everything else runs', { timeout: 8 * PATIENCE_MS }, async ({ files, lines }, context) => {
  const workshop = workshopFor(context);
  const file = workshop.file('all.yaml', `${files}---${PLAIN}`);
  const { exitCode, stdout, stderr } = await workshop.run(['apply', file]);
  // A slow machine adds lines about what it waits for.
  const said = stderr.split('\n').filter((line) => /^(Warning|serving)/.test(line));
  expect(said).toEqual(lines.map((line) => expect.stringMatching(line)));
  expect(stdout).toContain('ran');
  expect(exitCode).toBe(0);
});

it('windowsOptions of a Pod have no effect on this node, which an event says', async (context) => {
  const workshop = workshopFor(context);
  const options = 'spec: {hostNetwork: true, securityContext: {windowsOptions: {hostProcess: true}},';
  const file = workshop.file('windows.yaml', PLAIN.replace('spec: {', `${options} `));
  const { exitCode, stdout } = await workshop.run(['apply', file, '--network', 'host']);
  expect(stdout).toContain('no effect: securityContext.windowsOptions');
  expect([exitCode, stdout.includes('ran')]).toEqual([0, true]);
});
