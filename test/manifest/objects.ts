import type { KubeObject } from '../../src/api/base/objects.ts';
import { prepareForCreate } from '../../src/manifest/default/create.ts';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { formatFieldError } from '../../src/manifest/base/field-error.ts';
import { validateObject } from '../../src/manifest/validate/index.ts';

export type Fields = Record<string, unknown>;

/** A valid container with changed fields. */
export function container(fields: Fields = {}): Fields {
  return { name: 'app', image: 'registry.example/app:1', ...fields };
}

/** A valid Pod with changed fields of its spec. */
export function pod(spec: Fields = {}, metadata: Fields = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'demo', ...metadata },
    spec: { containers: [container()], ...spec },
  };
}

/** A Pod with one container, whose fields are changed. */
export function podOf(fields: Fields, spec: Fields = {}): KubeObject {
  return pod({ containers: [container(fields)], ...spec });
}

const GROUPS: Readonly<Record<string, string>> = {
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  EndpointSlice: 'discovery.k8s.io/v1',
  Ingress: 'networking.k8s.io/v1',
  IngressClass: 'networking.k8s.io/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
  PriorityClass: 'scheduling.k8s.io/v1',
  RuntimeClass: 'node.k8s.io/v1',
  Service: 'v1',
  ReplicationController: 'v1',
  PodTemplate: 'v1',
  LimitRange: 'v1',
  ResourceQuota: 'v1',
};

/** An object of another kind; workloads of the apps group by default. */
export function object(kind: string, fields: Fields = {}, metadata: Fields = {}): KubeObject {
  return { apiVersion: GROUPS[kind] ?? 'apps/v1', kind, metadata: { name: 'demo', ...metadata }, ...fields };
}

/** A template whose Pods have the label `app: demo`. */
export function template(spec: Fields = {}): Fields {
  return { metadata: { labels: { app: 'demo' } }, spec: { containers: [container()], ...spec } };
}

/** The object as the API server stores a new one. */
export function created(given: KubeObject, uid?: string): KubeObject {
  return prepareForCreate(applyDefaults(given), uid);
}

/** The mistakes of an object as the lines for users. */
export function linesOf(given: KubeObject): string[] {
  return validateObject(created(given)).map(formatFieldError);
}

/**
 * Replaces each line that matches the expression at its index by that expression. Then a list of lines can be compared
 * with a list of texts and expressions.
 */
export function fitted(lines: readonly string[], want: readonly (string | RegExp)[]): (string | RegExp)[] {
  return lines.map((line, index) => {
    const form = want[index];
    return form instanceof RegExp && form.test(line) ? form : line;
  });
}
