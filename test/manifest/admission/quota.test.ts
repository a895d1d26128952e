import { describe, expect, it } from 'vitest';
import type { ResourceQuota } from '../../../src/api/generated/types.ts';
import type { KubeObject } from '../../../src/api/base/objects.ts';
import { quotaError, quotaStatus } from '../../../src/manifest/admission/quota.ts';
import { created, object, podOf } from '../objects.ts';

const quota = (spec: object): ResourceQuota => ({ metadata: { name: 'q' }, spec });
const asking = (requests: object, limits?: object, spec = {}): KubeObject =>
  created(podOf({ resources: { requests, limits } }, spec));
const plain = created(podOf({}));
const ended = { ...plain, status: { phase: 'Succeeded' } };

describe('a quota', () => {
  it.each<[string, object, KubeObject, KubeObject[], string | undefined]>([
    ['room for one more', { hard: { pods: '2' } }, plain, [plain, ended], undefined],
    [
      'too many Pods',
      { hard: { pods: '2' } },
      plain,
      [plain, plain],
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'records of ended Pods, by their count',
      { hard: { 'count/pods': '1' } },
      plain,
      [ended],
      'exceeded quota: q, requested: count/pods=1, used: count/pods=1, limited: count/pods=1',
    ],
    [
      'too much of two resources',
      { hard: { 'requests.cpu': '1', memory: '1Gi', pods: '9' } },
      asking({ cpu: '600m', memory: '600Mi' }),
      [asking({ cpu: '600m', memory: '600Mi' })],
      'exceeded quota: q, requested: memory=600Mi,requests.cpu=600m, used: memory=600Mi,requests.cpu=600m, ' +
        'limited: memory=1Gi,requests.cpu=1',
    ],
    [
      'a container that names nothing',
      { hard: { cpu: '1', 'limits.memory': '1Gi' } },
      plain,
      [],
      'failed quota: q: must specify cpu for: app; limits.memory for: app',
    ],
    ['a resource that needs not be named', { hard: { 'requests.ephemeral-storage': '1Gi' } }, plain, [], undefined],
    [
      'too many Jobs',
      { hard: { 'count/jobs.batch': '0' } },
      object('Job'),
      [],
      'exceeded quota: q, requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0',
    ],
    [
      'too many ConfigMaps',
      { hard: { configmaps: '1' } },
      object('ConfigMap', { apiVersion: 'v1' }),
      [object('ConfigMap', { apiVersion: 'v1' })],
      'exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    ],
    [
      'too much storage',
      { hard: { 'requests.storage': '1Gi', 'fast.storageclass.storage.k8s.io/persistentvolumeclaims': '5' } },
      object('PersistentVolumeClaim', {
        apiVersion: 'v1',
        spec: { storageClassName: 'fast', resources: { requests: { storage: '2Gi' } } },
      }),
      [],
      'exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=0, limited: requests.storage=1Gi',
    ],
    [
      'node ports',
      { hard: { 'services.nodeports': '1' } },
      object('Service', { spec: { type: 'NodePort', ports: [{ port: 1 }, { port: 2 }] } }),
      [],
      'exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
    ],
    ['another kind', { hard: { pods: '0' } }, object('Job'), [], undefined],
  ])('%s', (_name, spec, given, existing, want) => {
    expect(quotaError(quota(spec), given, existing)).toBe(want);
  });

  const exists = (scopeName: string): object => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator: 'Exists' }] },
  });
  const high = asking({}, undefined, { priorityClassName: 'high' });
  const inOther = { podAffinityTerm: { namespaces: ['other'], topologyKey: 'x' }, weight: 1 };
  const affine = asking({}, undefined, {
    affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [inOther] } },
  });
  it.each<[string, object, KubeObject, KubeObject]>([
    ['BestEffort', { scopes: ['BestEffort'] }, plain, asking({ cpu: '1' })],
    ['NotBestEffort', { scopes: ['NotBestEffort'] }, asking({ cpu: '1' }), plain],
    ['Terminating', exists('Terminating'), asking({}, undefined, { activeDeadlineSeconds: 1 }), plain],
    ['NotTerminating', { scopes: ['NotTerminating'] }, plain, asking({}, undefined, { activeDeadlineSeconds: 1 })],
    ['PriorityClass', exists('PriorityClass'), high, plain],
    [
      'PriorityClass In',
      { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
      high,
      asking({}, undefined, { priorityClassName: 'low' }),
    ],
    ['CrossNamespacePodAffinity', exists('CrossNamespacePodAffinity'), affine, plain],
  ])('counts Pods in its scope %s only', (_name, scope, inside, outside) => {
    const limits = quota({ hard: { pods: '0' }, ...scope });
    expect(quotaError(limits, inside, [outside])).toMatch(/^exceeded quota: q, requested: pods=1, used: pods=0/);
    expect(quotaError(limits, outside, [])).toBeUndefined();
  });

  it.each([
    ['Exists', [], ['fast', 'slow'], [undefined]],
    ['DoesNotExist', [], [undefined], ['fast']],
    ['In', ['fast'], ['fast'], ['slow', undefined]],
    ['NotIn', ['fast'], ['slow', undefined], ['fast']],
  ])('counts claims with a class that the scope wants: %s %j', (operator, values, inside, outside) => {
    const matchExpressions = [{ scopeName: 'VolumeAttributesClass', operator, values }];
    const limits = quota({ hard: { persistentvolumeclaims: '0' }, scopeSelector: { matchExpressions } });
    const ofClass = (volumeAttributesClassName: string | undefined): KubeObject =>
      object('PersistentVolumeClaim', { apiVersion: 'v1', spec: { volumeAttributesClassName } });
    const refused = (name: string | undefined): boolean => quotaError(limits, ofClass(name), []) !== undefined;
    expect([inside.map(refused), outside.map(refused)]).toEqual([inside.map(() => true), outside.map(() => false)]);
  });

  it('asks of a change only for what it uses more', () => {
    const claim = (storage: string): KubeObject =>
      object('PersistentVolumeClaim', { apiVersion: 'v1', spec: { resources: { requests: { storage } } } });
    const limits = quota({ hard: { 'requests.storage': '3Gi', persistentvolumeclaims: '1' } });
    expect(quotaError(limits, claim('2Gi'), [claim('1Gi')], claim('1Gi'))).toBeUndefined();
    expect(quotaError(limits, claim('3Gi'), [claim('1Gi')], claim('1Gi'))).toBe(
      'exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=2Gi, limited: requests.storage=3Gi',
    );
    expect(quotaError(limits, claim('1Gi'), [claim('9Gi')], claim('2Gi'))).toBeUndefined();
    expect(quotaError(quota({ hard: { cpu: '1' } }), plain, [], plain)).toBeUndefined();
  });

  it('counts the resources of a Pod as a whole, and its overhead', () => {
    const whole = created(
      podOf({}, { resources: { requests: { cpu: '2' }, limits: { cpu: '2' } }, overhead: { memory: '1Mi' } }),
    );
    const { used } = quotaStatus(quota({ hard: { 'requests.cpu': '9', 'requests.memory': '1Gi' } }), [whole]);
    expect(used).toEqual({ 'requests.cpu': '2', 'requests.memory': '1Mi' });
  });

  it('has a status', () => {
    const limits = quota({ hard: { pods: '2', cpu: '4', 'count/jobs.batch': '1' } });
    expect(quotaStatus(limits, [asking({ cpu: '500m' }), asking({ cpu: '1' }), object('Job')])).toEqual({
      hard: { pods: '2', cpu: '4', 'count/jobs.batch': '1' },
      used: { pods: '2', cpu: '1500m', 'count/jobs.batch': '1' },
    });
  });
});
