import { type Container, isSameJson, type ResourceRequirements, type StoredPod } from '../../api/index.ts';
import type { Change } from './transition.ts';

/** The changes of an existing Pod by a user: mutable fields of its spec, labels and annotations. */
export function changeTransitions(previous: StoredPod | undefined, next: StoredPod): Change[] {
  if (previous === undefined) return [];
  return [
    ...pairs('labels', previous.metadata.labels, next.metadata.labels),
    ...pairs('annotations', previous.metadata.annotations, next.metadata.annotations),
    ...removedGates(previous, next),
    ...deadline(previous, next),
    ...tolerations(previous, next),
    ...containers(previous, next),
  ];
}

type TextMap = Readonly<Record<string, string>> | undefined;

/** Changed entries with their values, removed ones with a minus, in the syntax of `label` and `annotate`. */
function pairs(what: 'annotations' | 'labels', before: TextMap, after: TextMap): Change[] {
  const set = Object.entries(after ?? {}).filter(([key, value]) => before?.[key] !== value);
  const gone = Object.keys(before ?? {}).filter((key) => after?.[key] === undefined);
  const texts = [...set.map(([key, value]) => `${key}=${value}`), ...gone.map((key) => `${key}-`)];
  return texts.length === 0 ? [] : [{ kind: 'change', text: `${what} changed`, why: texts.join(', '), tone: 'muted' }];
}

function removedGates(previous: StoredPod, next: StoredPod): Change[] {
  const left = new Set((next.spec.schedulingGates ?? []).map(({ name }) => name));
  const removed = (previous.spec.schedulingGates ?? []).filter(({ name }) => !left.has(name));
  if (removed.length === 0) return [];
  const why = removed.map(({ name }) => name).join(', ');
  return [{ kind: 'change', text: 'scheduling gate removed', why, tone: 'info' }];
}

function deadline({ spec: before }: StoredPod, { spec: after }: StoredPod): Change[] {
  const { activeDeadlineSeconds: seconds } = after;
  if (seconds === before.activeDeadlineSeconds || seconds === undefined) return [];
  return [{ kind: 'change', text: `activeDeadlineSeconds set to ${seconds}`, tone: 'info' }];
}

function tolerations({ spec: before }: StoredPod, { spec: after }: StoredPod): Change[] {
  if (isSameJson(before.tolerations ?? [], after.tolerations ?? [])) return [];
  return [{ kind: 'change', text: 'tolerations changed', tone: 'muted' }];
}

function containers({ spec: before }: StoredPod, { spec: after }: StoredPod): Change[] {
  const old = new Map(
    [...(before.initContainers ?? []), ...before.containers].map((container) => [container.name, container]),
  );
  return [...(after.initContainers ?? []), ...after.containers].flatMap((container) => {
    const same = old.get(container.name);
    return same === undefined ? [] : containerChanges(same, container);
  });
}

function containerChanges(before: Container, after: Container): Change[] {
  const { name: container } = after;
  const changes: Change[] = [];
  if (before.image !== after.image) {
    const why = `${before.image} → ${after.image}`;
    changes.push({ kind: 'change', container, text: 'image changed', why, tone: 'info' });
  }
  const resources = resourceChanges(before.resources, after.resources);
  if (resources.length > 0) {
    changes.push({ kind: 'change', container, text: 'resized', why: resources.join(', '), tone: 'info' });
  }
  return changes;
}

function resourceChanges(before: ResourceRequirements = {}, after: ResourceRequirements = {}): string[] {
  return (['requests', 'limits'] as const).flatMap((list) =>
    Object.entries(after[list] ?? {})
      .filter(([name, quantity]) => before[list]?.[name] !== quantity)
      .map(([name, quantity]) => `${list}.${name} ${before[list]?.[name] ?? 'none'} → ${quantity}`),
  );
}
