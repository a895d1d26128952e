import type { KubeObject } from '../../src/api/objects.ts';
import { prepareForCreate } from '../../src/manifest/default/create.ts';
import { applyDefaults } from '../../src/manifest/default/index.ts';
import { formatFieldError } from '../../src/manifest/field-error.ts';
import { validateObject } from '../../src/manifest/validate/index.ts';

type Fields = Record<string, unknown>;

/** A container without mistakes, with some fields of one's own. */
export function container(fields: Fields = {}): Fields {
  return { name: 'app', image: 'registry.example/app:1', ...fields };
}

/** A Pod without mistakes, with some fields of its spec of one's own. */
export function pod(spec: Fields = {}, metadata: Fields = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'demo', ...metadata },
    spec: { containers: [container()], ...spec },
  };
}

/** A Pod of one container with some fields of one's own. */
export function podOf(fields: Fields, spec: Fields = {}): KubeObject {
  return pod({ containers: [container(fields)], ...spec });
}

const GROUPS: Readonly<Record<string, string>> = { Job: 'batch/v1', CronJob: 'batch/v1', Service: 'v1' };

/** Any other object; workloads of the apps group unless the kind says otherwise. */
export function object(kind: string, fields: Fields = {}, metadata: Fields = {}): KubeObject {
  return { apiVersion: GROUPS[kind] ?? 'apps/v1', kind, metadata: { name: 'demo', ...metadata }, ...fields };
}

/** A template whose Pods have the label `app: demo`. */
export function template(spec: Fields = {}): Fields {
  return { metadata: { labels: { app: 'demo' } }, spec: { containers: [container()], ...spec } };
}

/** As the API server would hold it when it is new. */
export function created(given: KubeObject): KubeObject {
  return prepareForCreate(applyDefaults(given));
}

/** The mistakes of an object, in the lines a user reads. */
export function linesOf(given: KubeObject): string[] {
  return validateObject(created(given)).map(formatFieldError);
}

/**
 * For lists of lines of which some are given whole and some by what they look like: each line that fits the expression
 * at its place is replaced by it, so that the result can be compared with the list as a whole.
 */
export function fitted(lines: readonly string[], want: readonly (string | RegExp)[]): (string | RegExp)[] {
  return lines.map((line, index) => {
    const form = want[index];
    return form instanceof RegExp && form.test(line) ? form : line;
  });
}
