import { type Container, type Pod, type PodSpec, qosClassOf, type ResourceRequirements } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, item } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { isSameValue } from './differences.ts';
import { withManagersOf } from './metadata.ts';

/** Changing the resources of a running Pod (KEP-1287), through the subresource `resize`. */

type Resources = Decoded<ResourceRequirements>;
type Containers = Decoded<Container>[] | undefined;

const RESIZABLE = ['cpu', 'memory'] as const;
const ONLY_THESE = 'only cpu and memory resources are mutable';

/**
 * The stored Pod with the resources of the changed one. Drops all other changes silently.
 * Source: pkg/registry/core/pod/strategy.go, dropNonResizeUpdates.
 */
export function resizedPod(stored: Decoded<Pod>, changed: Decoded<Pod>): Decoded<Pod> {
  const [before, after] = [stored.spec ?? {}, changed.spec ?? {}];
  const spec: Decoded<PodSpec> = {
    ...before,
    ...resizedList('initContainers', before.initContainers, after.initContainers),
    ...resizedList('containers', before.containers, after.containers),
    ...(after.resources === undefined ? {} : { resources: after.resources }),
  };
  return { ...stored, metadata: withManagersOf(stored.metadata, changed.metadata), spec };
}

function resizedList(field: 'containers' | 'initContainers', before: Containers, after: Containers): object {
  if (before === undefined) return {};
  const resized = before.map((container) => {
    const wanted = after?.find(({ name }) => name === container.name);
    if (wanted === undefined) return container;
    const { resources, resizePolicy } = wanted;
    const rest = omit(container, ['resources', 'resizePolicy']);
    return {
      ...rest,
      ...(resources === undefined ? {} : { resources }),
      ...(resizePolicy === undefined ? {} : { resizePolicy }),
    };
  });
  return { [field]: resized };
}

/** Source: pkg/apis/core/validation/validation.go, ValidatePodResize. */
export function validatePodResize(stored: Decoded<Pod>, resized: Decoded<Pod>): FieldError[] {
  const [before, after] = [stored.spec ?? {}, resized.spec ?? {}];
  if (before.os?.name === 'windows') return [forbidden('', 'windows pods cannot be resized')];
  const qosClass = stored.status?.qosClass ?? qosClassOf(before);
  const errors: FieldError[] = [];
  if (qosClassOf(after) !== qosClass) {
    errors.push(invalid('spec', qosClass, 'Pod QOS Class may not change as a result of resizing'));
  }
  for (const field of ['initContainers', 'containers'] as const) {
    (after[field] ?? []).forEach((container, index) => {
      const path = child(item(`spec.${field}`, index), 'resources');
      errors.push(...validateNothingRemoved(path, before[field]?.[index]?.resources, container.resources));
    });
  }
  errors.push(...validateNothingRemoved('spec.resources', before.resources, after.resources));
  for (const field of ['containers', 'initContainers'] as const) {
    (after[field] ?? []).forEach((container, index) =>
      errors.push(...validateOnlyResources(before[field]?.[index] ?? {}, container)),
    );
  }
  if (!isSameValue(withoutResizable(before.resources), withoutResizable(after.resources), 'ResourceRequirements')) {
    errors.push(forbidden('spec', ONLY_THESE));
  }
  return errors;
}

function validateNothingRemoved(path: string, before: Resources = {}, after: Resources = {}): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((kind) => {
    const left = new Set(Object.keys(after[kind] ?? {}));
    const isAllThere = Object.keys(before[kind] ?? {}).every((name) => left.has(name));
    return isAllThere ? [] : [forbidden(child(path, kind), `resource ${kind} cannot be removed`)];
  });
}

function validateOnlyResources(before: Decoded<Container>, after: Decoded<Container>): FieldError[] {
  const rest = (container: Decoded<Container>): unknown => ({
    ...container,
    resources: withoutResizable(container.resources),
  });
  if (isSameValue(rest(before), rest(after), 'Container')) return [];
  const isSidecar = after.restartPolicy === 'Always';
  return [
    forbidden('spec', isSidecar ? 'only cpu and memory resources for sidecar containers are mutable' : ONLY_THESE),
  ];
}

function withoutResizable(resources: Resources = {}): Resources {
  const { requests, limits } = resources;
  return {
    ...resources,
    requests: requests && omit(requests, RESIZABLE),
    limits: limits && omit(limits, RESIZABLE),
  };
}
