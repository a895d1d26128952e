import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { needs } from '../needs.ts';
import { workshopFor } from './workshop.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OPERATOR = path.join(import.meta.dirname, 'in-cluster/unblock.mjs');

const CHANGE = path.join(import.meta.dirname, 'in-cluster/change-site.mjs');

const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.try.example.com}
spec:
  group: try.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
`;
const GADGET = `
apiVersion: try.example.com/v1
kind: Gadget
metadata: {name: g}
spec: {size: 1}
`;
const ROLES = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: app}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: app, namespace: default}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: app}
`;
const MONITOR = `
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: app}
spec: {endpoints: [{port: web}]}
`;
/** No Pod is behind its Service: every new Gadget has to wait for it. */
const GATE = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: gate}
webhooks:
- name: gate.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  failurePolicy: Fail
  clientConfig: {service: {name: gate, namespace: default}}
  rules: [{apiGroups: [try.example.com], apiVersions: [v1], operations: [CREATE], resources: [gadgets]}]
`;

const pod = (command: readonly string[], more = ''): string => `
apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  restartPolicy: Never
  terminationGracePeriodSeconds: 0
  serviceAccountName: app
  containers: [{name: c, image: busybox, command: ${JSON.stringify(command)}}]${more}
`;
const CREDENTIALS = 'ls /var/run/secrets/kubernetes.io/serviceaccount; echo at $KUBERNETES_SERVICE_HOST';

/** Pods have the credentials of their account at the place where programs look for them. */
const NAMESPACES = { PODRUN_RUNTIME: 'namespace' };

const all = (...documents: string[]): string => documents.join('---');

/** The lines of a run about objects, without their times. */
const storedIn = (stdout: string): string[] => [...stdout.matchAll(/· (\S+ created)$/gm)].map(([, line = '']) => line);

describe('apply with an API server beside it', { concurrent: true }, () => {
  it(
    'begins what needs it in the order of a cluster, whatever their order in the file',
    needs('namespaces'),
    async (context) => {
      const workshop = workshopFor(context);
      const namespace = '\napiVersion: v1\nkind: Namespace\nmetadata: {name: extra}\n';
      const file = workshop.file('all.yaml', all(GADGET, pod(['sh', '-c', CREDENTIALS]), ROLES, DEFINITION, namespace));
      const { exitCode, stdout, stderr } = await workshop.run(['apply', file], NAMESPACES);
      expect(stderr).toMatch(
        /^serving the API of these objects at https:\/\/127\.0\.0\.1:\d+: export KUBECONFIG=\S+$/m,
      );
      expect(storedIn(stdout)).toEqual([
        'namespace/extra created',
        'customresourcedefinition.apiextensions.k8s.io/gadgets.try.example.com created',
        'clusterrolebinding.rbac.authorization.k8s.io/app created',
        'serviceaccount/app created',
        'gadget.try.example.com/g created',
      ]);
      expect(stdout).toMatch(/ca\.crt\n.*namespace\n.*token\n.*at 127\./);
      expect(exitCode).toBe(0);
      const again = await workshop.run(['apply', file, '--until', 'complete'], NAMESPACES);
      expect(again.stdout).toContain('gadget.try.example.com/g unchanged');
      const deleted = await workshop.run(['delete', '-f', file]);
      expect([deleted.exitCode, deleted.stderr]).toEqual([0, '']);
      expect(deleted.stdout).toMatch(/^gadget\.try\.example\.com "g" deleted/);
      expect((await workshop.run(['get', 'crd,clusterrolebinding/app'])).stdout).toBe('');
    },
  );

  it('leaves out a kind that nothing defines, with a warning, and --strict refuses it', async (context) => {
    const workshop = workshopFor(context);
    const plain = '\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n';
    const file = workshop.file('all.yaml', all(plain, MONITOR));
    const lax = await workshop.run(['apply', file]);
    const why = 'no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"';
    const place = `${file}:6:1`;
    expect(lax.stderr).toBe(`Warning: ${why}: no CustomResourceDefinition defines it, ignored (${place})\n`);
    expect([lax.exitCode, lax.stdout]).toEqual([0, 'configmap/c created\n']);
    const strict = await workshop.run(['apply', file, '--strict']);
    expect([strict.exitCode, strict.stdout]).toEqual([2, '']);
    expect(strict.stderr).toContain(why);
    expect(existsSync(path.join(workshop.stateDir, '.server'))).toBe(false);
  });

  it('serves nothing with --no-api, and says what has no effect then', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', all(DEFINITION, GADGET, ROLES, pod(['sh', '-c', 'echo ran'])));
    const { exitCode, stdout, stderr } = await workshop.run(['apply', file, '--no-api']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('ran');
    expect(stderr).toContain(
      'Warning: no effect without an API server (--no-api): ' +
        'customresourcedefinition.apiextensions.k8s.io/gadgets.try.example.com, ' +
        'clusterrolebinding.rbac.authorization.k8s.io/app, gadget.try.example.com/g\n',
    );
    expect(existsSync(path.join(workshop.stateDir, '.server'))).toBe(false);
  });

  it('serves where a Pod has a token and the store lets its account do something', async (context) => {
    const workshop = workshopFor(context);
    await workshop.run(['apply', workshop.file('roles.yaml', ROLES)]);
    const { stderr } = await workshop.run(['apply', workshop.file('pod.yaml', pod(['true']))]);
    expect(stderr).toContain('serving the API');
    const other = workshop.file('other.yaml', pod(['true'], '\n  automountServiceAccountToken: false'));
    expect((await workshop.run(['apply', other])).stderr).not.toContain('serving the API');
  });

  it('tells in the words of the server why it does not take an object, and fails', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', all(DEFINITION, GADGET.replace('size: 1', 'size: many')));
    const { exitCode, stderr } = await workshop.run(['apply', file]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(
      'error: gadget.try.example.com/g: Gadget.try.example.com "g" is invalid: spec.size: Invalid value',
    );
    const until = all(DEFINITION, GADGET.replace('size: 1', 'x: 1'), ROLES, pod(['sleep', '600']));
    const failed = await workshop.run(['apply', workshop.file('until.yaml', until), '--until', 'ready']);
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain('error: gadget.try.example.com/g: ');
    expect(failed.stderr).toContain('unknown field "spec.x"');
  });

  it(
    'lets a custom resource wait for its webhook, with the reason, and a goal for it',
    needs('namespaces'),
    async (context) => {
      const workshop = workshopFor(context);
      const program = pod([process.execPath, OPERATOR]);
      const file = workshop.file('all.yaml', all(GATE, GADGET, DEFINITION, ROLES, program));
      const { exitCode, stdout, stderr } = await workshop.start(['apply', file, '--until', 'ready'], NAMESPACES).ended;
      expect([exitCode, stderr]).toEqual([0, expect.stringMatching(/^serving .*\n$/)]);
      expect(stdout).toMatch(/gadget\.try\.example\.com\/g waits: .*failed calling webhook "gate\.example\.com"/);
      expect(stdout).toMatch(/gadget\.try\.example\.com\/g waits: [^]*gadget\.try\.example\.com\/g created/);
    },
  );

  it('says at the time limit that a custom resource still waits', async (context) => {
    const workshop = workshopFor(context);
    const file = workshop.file('all.yaml', all(GATE, GADGET, DEFINITION, ROLES, pod(['sleep', '600'])));
    const args = ['apply', file, '--until', 'ready', '--settle', '0', '--timeout', '20s'];
    const { exitCode, stderr } = await workshop.run(args);
    expect(exitCode).toBe(124);
    expect(stderr).toMatch(/gadget\.try\.example\.com\/g: .*failed calling webhook "gate\.example\.com"/);
  });

  it('serves from the background agent until its last Pod ends', async (context) => {
    const workshop = workshopFor(context, { leavesPods: true });
    const file = workshop.file('all.yaml', all(GADGET, DEFINITION, ROLES, pod(['sleep', '600'])));
    const applied = await workshop.run(['apply', '-d', '--wait', file]);
    expect([applied.exitCode, applied.stderr]).toEqual([0, expect.stringContaining('serving the API')]);
    expect(applied.stdout).toContain('gadget.try.example.com/g created\n');
    const record = path.join(workshop.stateDir, '.server/kubeconfig');
    expect(existsSync(record)).toBe(true);
    // The text of kubectl, whose next apply says "unchanged".
    const annotation = String.raw`jsonpath={.metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration}`;
    expect((await workshop.run(['get', 'gadget/g', '-o', annotation])).stdout).toBe(
      '{"apiVersion":"try.example.com/v1","kind":"Gadget",' +
        '"metadata":{"annotations":{},"name":"g","namespace":"default"},"spec":{"size":1}}\n',
    );
    // The next run uses the same server.
    const more = workshop.file('more.yaml', GADGET.replace('name: g', 'name: more'));
    const next = await workshop.run(['apply', more]);
    expect([next.exitCode, next.stdout]).toEqual([0, 'gadget.try.example.com/more created\n']);
    expect(next.stderr).toBe(applied.stderr);
    expect((await workshop.run(['delete', 'pod', 'app'])).exitCode).toBe(0);
  });

  it(
    'runs an operator, its custom resource and a check, which gets KUBECONFIG',
    needs('namespaces'),
    async (context) => {
      const workshop = workshopFor(context);
      const podrun = (...args: string[]): string => workshop.commandLine(args).join(' ');
      const check = [
        podrun('wait', 'site/blog', '--for=condition=Ready', '--timeout=3m'),
        `${process.execPath} ${CHANGE}`,
        podrun('wait', 'configmap/blog', `--for=jsonpath='{.data.text}'=goodbye`, '--timeout=3m'),
      ];
      const manifest = readFileSync(path.join(ROOT, 'fixtures/operator/operator.yaml'), 'utf8');
      const file = workshop.file(
        'operator.yaml',
        manifest.replaceAll('fixtures/operator/', `${ROOT}/fixtures/operator/`),
      );
      const run = workshop.start(['apply', file, '--', 'sh', '-c', check.join(' && ')], NAMESPACES);
      const { exitCode, stdout } = await run.ended;
      expect(stdout).toContain('published blog: goodbye');
      expect(exitCode).toBe(0);
    },
  );
});
