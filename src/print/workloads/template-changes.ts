import { type Container, isSameJson, type PodTemplateSpec } from '../../api/index.ts';

/** The number of changes to name. Further ones are only counted. */
const NAMED_MAX = 3;

/**
 * The changes of a Pod template in a few words: `image nginx:1.27`, `env VERSION`, `api: command`, `restart`. Empty for
 * equal templates.
 */
export function templateChanges(before: PodTemplateSpec | undefined, after: PodTemplateSpec | undefined): string {
  if (before === undefined || after === undefined) return '';
  const changes = [...metadataChanges(before, after), ...containersOf(before, after), ...specChanges(before, after)];
  const named = changes.slice(0, NAMED_MAX);
  const more = changes.length - named.length;
  return [...named, ...(more === 0 ? [] : [`${more} more`])].join(', ');
}

/** The annotation of `rollout restart`. */
const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';

function metadataChanges({ metadata: before }: PodTemplateSpec, { metadata: after }: PodTemplateSpec): string[] {
  const annotations = changedKeys(before?.annotations, after?.annotations);
  const isRestart = annotations.includes(RESTARTED_AT);
  return [
    ...(isRestart ? ['restart'] : []),
    ...(annotations.length > (isRestart ? 1 : 0) ? ['annotations'] : []),
    ...changedKeys(before?.labels, after?.labels).map((key) => `label ${key}`),
  ];
}

function specChanges({ spec: before = EMPTY }: PodTemplateSpec, { spec: after = EMPTY }: PodTemplateSpec): string[] {
  return changedKeys(before, after).filter((field) => !/[cC]ontainers$/.test(field));
}

const EMPTY: NonNullable<PodTemplateSpec['spec']> = { containers: [] };

function containersOf({ spec: before = EMPTY }: PodTemplateSpec, { spec: after = EMPTY }: PodTemplateSpec): string[] {
  const [old, now] = [before, after].map(({ initContainers = [], containers }) => [...initContainers, ...containers]);
  const known = new Map((old ?? []).map((container) => [container.name, container]));
  const names = new Set((now ?? []).map(({ name }) => name));
  const isAlone = names.size === 1 && known.size === 1;
  return [
    ...(now ?? []).flatMap((container) => {
      const same = known.get(container.name);
      if (same === undefined) return [`container ${container.name} added`];
      const changes = containerChanges(same, container);
      return isAlone ? changes : changes.map((change) => `${container.name}: ${change}`);
    }),
    ...[...known.keys()].filter((name) => !names.has(name)).map((name) => `container ${name} removed`),
  ];
}

function containerChanges(before: Container, after: Container): string[] {
  return changedKeys(before, after).flatMap((field) => {
    if (field === 'image') return [`image ${after.image}`];
    if (field !== 'env') return [field];
    const values = [before, after].map(({ env = [] }) => Object.fromEntries(env.map((entry) => [entry.name, entry])));
    const names = changedKeys(values[0], values[1]);
    return names.length === 0 ? ['order of env'] : names.map((name) => `env ${name}`);
  });
}

function changedKeys(before: object | undefined, after: object | undefined): string[] {
  const [old, now] = [before, after].map((object) => new Map<string, unknown>(Object.entries(object ?? {})));
  const keys = new Set([...(now?.keys() ?? []), ...(old?.keys() ?? [])]);
  return [...keys].filter((key) => !isSameJson(old?.get(key), now?.get(key)));
}
