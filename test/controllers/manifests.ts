import type { DeploymentSpec, JobSpec, PodSpec } from '../../src/api/generated/types.ts';
import { formatTime } from '../../src/api/base/time.ts';
import { NAME_ALPHABET } from '../../src/controllers/base/names.ts';
import type { NewObject } from '../../src/controllers/base/reconcile.ts';

/** The time at which worlds begin. */
export const START_MS: number = Date.UTC(2026, 0, 15, 12);

const POD: PodSpec = { containers: [{ name: 'main', image: 'busybox' }], terminationGracePeriodSeconds: 30 };

/** A Job as the API server stores it: with defaults, selector and labels. */
export function newJob(spec: Partial<JobSpec> = {}, uid = 'job'): NewObject {
  const labels = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': 'pi' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pi', namespace: 'default' },
    spec: {
      parallelism: 1,
      ...('completions' in spec || 'parallelism' in spec ? {} : { completions: 1 }),
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
      completionMode: 'NonIndexed',
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
      ...spec,
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels }, spec: { ...POD, restartPolicy: 'Never', ...spec.template?.spec } },
    },
  };
}

/** A Deployment as the API server stores it. */
export function newDeployment(spec: Partial<DeploymentSpec> = {}): NewObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: templateOf('1'),
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      ...spec,
    },
  };
}

/** A template that differs from others by its version. */
export function templateOf(version: string): DeploymentSpec['template'] {
  const containers = [{ name: 'main', image: 'busybox', env: [{ name: 'VERSION', value: version }] }];
  return { metadata: { labels: { app: 'web' } }, spec: { ...POD, containers } };
}

/** A time of a world, as timestamps have it. */
export function at(seconds: number): string {
  return formatTime(START_MS + seconds * 1000);
}

/** Five characters for a generated name, each time others. */
export function nthSuffix(number: number): string {
  let rest = number;
  return Array.from({ length: 5 }, () => {
    const character = NAME_ALPHABET.charAt(rest % NAME_ALPHABET.length);
    rest = Math.floor(rest / NAME_ALPHABET.length);
    return character;
  }).join('');
}
