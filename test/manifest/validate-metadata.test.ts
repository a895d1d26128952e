import { describe, expect, it } from 'vitest';
import { fitted, linesOf, object, pod, template } from './objects.ts';

const A_SUBDOMAIN = 'a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters';
const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1' };

describe('metadata', () => {
  it.each([
    { name: 'a prefix may end with a dash', metadata: { name: undefined, generateName: 'demo-' } },
    { name: 'a prefix of any length is cut', metadata: { name: undefined, generateName: `${'a'.repeat(80)}-` } },
    { name: 'standard finalizers need no domain', metadata: { finalizers: ['orphan', 'kubernetes'] } },
    { name: 'annotation keys are compared in lower case', metadata: { annotations: { 'Example.COM/Key': ' any\n' } } },
    { name: 'one controller among owners', metadata: { ownerReferences: [{ ...owner, controller: true }, owner] } },
    { name: 'who wrote what', metadata: { managedFields: [{ operation: 'Apply', fieldsType: 'FieldsV1' }] } },
    { name: 'what only the server writes is overwritten', metadata: { generation: -1, uid: 'x' } },
  ])('accepts: $name', ({ metadata }) => {
    expect(linesOf(pod({}, metadata))).toEqual([]);
  });

  it.each([
    {
      name: 'two labels, each in its own order of rules',
      metadata: { labels: { 'b/': 'fine', a: '-' } },
      want: [
        /^metadata\.labels: Invalid value: "-": a valid label must be an empty string or/,
        /^metadata\.labels: Invalid value: "b\/": name part must be non-empty$/,
        /^metadata\.labels: Invalid value: "b\/": name part must consist of alphanumeric/,
      ],
    },
    {
      name: 'annotations of more than 256 KiB together',
      metadata: { annotations: { a: 'x'.repeat(262_144) } },
      want: [/^metadata\.annotations: Too long: may not be more than 262144 bytes$/],
    },
    {
      name: 'an owner without anything',
      metadata: { ownerReferences: [{}] },
      want: ['apiVersion', 'kind', 'name', 'uid'].map(
        (field) => new RegExp(`^metadata\\.ownerReferences\\.${field}: Invalid value: "": must not be empty$`),
      ),
    },
    {
      name: 'two controllers',
      metadata: {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, name: 'b', controller: true },
        ],
      },
      want: [/Only one reference can have Controller set to true\. Found "true" in references for Pod\/a and Pod\/b$/],
    },
    {
      name: 'an owner that may own nothing',
      metadata: { ownerReferences: [{ ...owner, kind: 'Event' }] },
      want: [/\/v1, Kind=Event is disallowed from being an owner$/],
    },
    {
      name: 'two finalizers that exclude each other',
      metadata: { finalizers: ['orphan', 'foregroundDeletion'] },
      want: [/^metadata\.finalizers: .*: finalizer orphan and foregroundDeletion cannot be both set$/],
    },
    {
      name: 'managed fields that no manager could have managed',
      metadata: { managedFields: [{ operation: 'Steal', fieldsType: 'FieldsV2', manager: 'm'.repeat(129) }] },
      want: [
        /^metadata\.managedFields\[0\]\.operation: Invalid value: "Steal": must be `Apply` or `Update`$/,
        /^metadata\.managedFields\[0\]\.fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`$/,
        /^metadata\.managedFields\[0\]\.manager: Too long: may not be more than 128 bytes$/,
      ],
    },
    {
      name: 'a deletion cost beyond 32 bits',
      metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '2147483648' } },
      want: [/: Invalid value: "2147483648": must be a 32bit integer$/],
    },
    {
      name: 'a deletion cost with a leading zero',
      metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '007' } },
      want: [/must be a 32bit integer$/],
    },
  ])('refuses: $name', ({ metadata, want }) => {
    expect(fitted(linesOf(pod({}, metadata)), want)).toEqual(want);
  });
});

describe('names that other names are made of', () => {
  const selector = { matchLabels: { app: 'demo' } };
  const set = (name: string, replicas: number): string[] =>
    linesOf(object('StatefulSet', { spec: { replicas, selector, template: template() } }, { name }));
  const cron = (name: string): string[] => {
    const jobTemplate = { spec: { template: template({ restartPolicy: 'Never' }) } };
    return linesOf(object('CronJob', { spec: { schedule: '@daily', jobTemplate } }, { name }));
  };

  it('leave room for the number of a StatefulSet Pod', () => {
    expect(set('a'.repeat(61), 10)).toEqual([]);
    expect(set('a'.repeat(61), 11)).toEqual([
      expect.stringMatching(/^metadata\.name: .*: will not able to create pod with invalid DNS label: a+-10$/),
    ]);
  });

  it('leave room for the time of a Job of a CronJob', () => {
    expect(cron('a'.repeat(52))).toEqual([]);
    expect(cron('a'.repeat(53))).toEqual([expect.stringMatching(/must be no more than 52 characters$/)]);
  });

  it('are labels for namespaces and Services, subdomains for the rest', () => {
    const named = (kind: string, fields = {}): string[] =>
      linesOf({ apiVersion: 'v1', kind, metadata: { name: 'a.b' }, ...fields });
    expect(named('Namespace')).toEqual(['metadata.name: Invalid value: "a.b": must not contain dots']);
    expect(named('Service', { spec: { ports: [{ port: 80 }] } })).toEqual([expect.stringContaining('dots')]);
    expect(named('ServiceAccount')).toEqual([]);
    expect(linesOf({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'A' } })).toEqual([
      expect.stringContaining(A_SUBDOMAIN),
    ]);
  });
});
