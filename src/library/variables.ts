import type { Container } from '../api/generated/types.ts';
import type { StoredPod } from '../api/objects.ts';
import { escapeExpansion } from '../lifecycle/environment/expansion.ts';

/** Adds variables to each container of the Pod, except those that `env` of the manifest sets. */
export function withVariables(pod: StoredPod, variables: Readonly<Record<string, string | undefined>>): StoredPod {
  const given = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: escapeExpansion(value) }],
  );
  if (given.length === 0) return pod;
  const add = (container: Container): Container => {
    const own = container.env ?? [];
    // These come first: variables of the container may refer to them.
    return {
      ...container,
      env: [...given.filter(({ name }) => !own.some((variable) => variable.name === name)), ...own],
    };
  };
  const { initContainers, containers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: containers.map(add),
      ...(initContainers === undefined ? {} : { initContainers: initContainers.map(add) }),
    },
  };
}
