import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from './start-server.ts';

const WITHIN = '/api/v1/namespaces/tight';
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const WARN = 'pod-security.kubernetes.io/warn';
const CONTAINERS = [{ name: 'main', image: 'busybox' }];
const WHY = 'violates PodSecurity "baseline:latest": host namespaces (hostPID=true)';

const AUDIT = 'pod-security.kubernetes.io/audit';
const FOLDER = mkdtempSync(path.join(tmpdir(), 'podrun-audit-'));
const AUDIT_LOG = path.join(FOLDER, 'audit.jsonl');

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ auditLog: AUDIT_LOG });
  await server.post('/api/v1/namespaces', {
    metadata: { name: 'tight', labels: { [ENFORCE]: 'baseline', [WARN]: 'baseline' } },
  });
});

afterAll(async () => {
  await server.close();
  rmSync(FOLDER, { recursive: true });
});

it('the labels of a namespace forbid Pods, also in a dry run', async () => {
  for (const query of ['', '?dryRun=All']) {
    const pod = { metadata: { name: 'a' }, spec: { hostPID: true, containers: CONTAINERS } };
    const { code, body, headers } = await server.post(`${WITHIN}/pods${query}`, pod);
    expect([code, body.message]).toEqual([403, `pods "a" is forbidden: ${WHY}`]);
    expect(body.details).toEqual({ name: 'a', kind: 'pods' });
    expect(headers.warning).toBeUndefined();
  }
});

it('they warn of workloads, and of present Pods when they become stricter', async () => {
  const labels = { a: 'b' };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { hostPID: true, containers: CONTAINERS } },
  };
  const made = await server.post('/apis/apps/v1/namespaces/tight/deployments', { metadata: { name: 'd' }, spec });
  expect([made.code, made.headers.warning]).toEqual([
    201,
    `299 - "${WHY.replace('violates', 'would violate').replaceAll('"', String.raw`\"`)}"`,
  ]);
  await server.post(`${WITHIN}/pods`, { metadata: { name: 'a' }, spec: { containers: CONTAINERS } });
  const strict = { metadata: { labels: { [ENFORCE]: 'restricted' } } };
  const { code, headers } = await server.request('PATCH', '/api/v1/namespaces/tight', strict, {
    'content-type': 'application/merge-patch+json',
  });
  expect([code, headers.warning]).toEqual([
    200,
    String.raw`299 - "existing pods in namespace \"tight\" violate the new PodSecurity enforce level ` +
      String.raw`\"restricted:latest\"", 299 - "a: allowPrivilegeEscalation != false, unrestricted capabilities, ` +
      'runAsNonRoot != true, seccompProfile"',
  ]);
});

/** The annotations of the audit event of a request. */
async function annotationsOf(auditId: string | string[] | undefined): Promise<unknown> {
  const events = (): { readonly auditID: string; readonly annotations?: object }[] =>
    readFileSync(AUDIT_LOG, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as never);
  const find = () => events().find(({ auditID }) => auditID === auditId);
  await expect.poll(find).toBeDefined();
  return find()?.annotations;
}

/** The annotations of a request that an administrator may make. */
const ALLOWED = { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' };

it('the audit log has what a Pod would violate', async () => {
  const within = '/api/v1/namespaces/watched';
  await server.post('/api/v1/namespaces', { metadata: { name: 'watched', labels: { [AUDIT]: 'baseline' } } });
  const spec = { hostPID: true, containers: CONTAINERS };
  const violations = { 'pod-security.kubernetes.io/audit-violations': WHY.replace('violates', 'would violate') };
  const policy = { 'pod-security.kubernetes.io/enforce-policy': 'privileged:latest' };
  const pod = await server.post(`${within}/pods`, { metadata: { name: 'a' }, spec });
  expect(await annotationsOf(pod.headers['audit-id'])).toEqual({ ...ALLOWED, ...policy, ...violations });
  const good = await server.post(`${within}/pods`, { metadata: { name: 'b' }, spec: { containers: CONTAINERS } });
  expect(await annotationsOf(good.headers['audit-id'])).toEqual({ ...ALLOWED, ...policy });
  const template = { metadata: { labels: { a: 'b' } }, spec };
  const sets = '/apis/apps/v1/namespaces/watched/deployments';
  const selector = { matchLabels: { a: 'b' } };
  const set = await server.post(sets, { metadata: { name: 'd' }, spec: { replicas: 0, selector, template } });
  expect(await annotationsOf(set.headers['audit-id'])).toEqual({ ...ALLOWED, ...violations });
  const merge = { 'content-type': 'application/merge-patch+json' };
  const labelled = await server.request('PATCH', `${within}/pods/b`, { metadata: { labels: { c: 'd' } } }, merge);
  expect(await annotationsOf(labelled.headers['audit-id'])).toEqual(ALLOWED);
});

it('the audit log has the rules that forbid a Pod', async () => {
  const pod = { metadata: { name: 'z' }, spec: { hostPID: true, containers: CONTAINERS } };
  const { code, headers } = await server.post('/api/v1/namespaces/tight/pods', pod);
  expect(code).toBe(403);
  expect(await annotationsOf(headers['audit-id'])).toHaveProperty(['pod-security.kubernetes.io/enforce-policy']);
});

it('the audit log has the binding by which a user may do something', async () => {
  const { body } = await server.post('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
  const asAccount = { authorization: `Bearer ${(body.status as { token: string }).token}` };
  const forbidden = await server.request('GET', '/api/v1/secrets', undefined, asAccount);
  expect(await annotationsOf(forbidden.headers['audit-id'])).toEqual({
    'authorization.k8s.io/decision': 'forbid',
    'authorization.k8s.io/reason': '',
  });
  const allowed = await server.request('GET', '/apis', undefined, asAccount);
  const role = 'ClusterRole "system:discovery" to Group "system:authenticated"';
  expect(await annotationsOf(allowed.headers['audit-id'])).toEqual({
    'authorization.k8s.io/decision': 'allow',
    'authorization.k8s.io/reason': `RBAC: allowed by ClusterRoleBinding "system:discovery" of ${role}`,
  });
});

it('the audit log has what a policy says of a write', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  await server.post(policies, {
    metadata: { name: 'data' },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'has(object.data)', message: 'no data' }],
      auditAnnotations: [{ key: 'name', valueExpression: 'object.metadata.name' }],
    },
  });
  await server.post(policies.replace('policies', 'policybindings'), {
    metadata: { name: 'audited' },
    spec: { policyName: 'data', validationActions: ['Audit'] },
  });
  const { code, headers } = await server.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'empty' } });
  const failure = { policy: 'data', binding: 'audited', expressionIndex: 0, validationActions: ['Audit'] };
  expect([code, await annotationsOf(headers['audit-id'])]).toEqual([
    201,
    {
      ...ALLOWED,
      'validation.policy.admission.k8s.io/validation_failure': JSON.stringify([{ message: 'no data', ...failure }]),
      'data/name': 'empty',
    },
  ]);
});
