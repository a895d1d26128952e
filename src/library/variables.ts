import type { Container, PodSpec } from '../api/index.ts';
import { escapeExpansion } from '../lifecycle/index.ts';
import { type HelmHook, type HelmHooks, type ManifestObject, podIn } from '../manifest/index.ts';

/**
 * Adds variables to each container of a Pod, or of the Pods of a workload, except variables that the manifest sets in
 * `env`.
 */
export function withVariables<T extends ManifestObject>(
  manifest: T,
  variables: Readonly<Record<string, string | undefined>>,
): T {
  const given = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: escapeExpansion(value) }],
  );
  if (given.length === 0) return manifest;
  const add = (container: Container): Container => {
    const own = container.env ?? [];
    // These come first: variables of the container may refer to them.
    return {
      ...container,
      env: [...given.filter(({ name }) => !own.some((variable) => variable.name === name)), ...own],
    };
  };
  const withThem = (spec: PodSpec): PodSpec => ({
    ...spec,
    containers: spec.containers.map(add),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(add) }),
  });
  const path = `${podIn(manifest.object)?.path}.spec`.split('.').filter(Boolean);
  const { object, written } = manifest;
  return { ...manifest, object: changedAt(object, path, withThem), written: changedAt(written, path, withThem) };
}

/** The object with another Pod spec at this path. */
function changedAt<T extends object>(
  object: T,
  [field, ...rest]: readonly string[],
  change: (spec: PodSpec) => PodSpec,
): T {
  if (field === undefined) return change(object as unknown as PodSpec) as unknown as T;
  return { ...object, [field]: changedAt((object as Record<string, object>)[field] ?? {}, rest, change) };
}

/** Adds variables to each container of the hooks of a chart. */
export function variablesInHooks(
  { preInstall, postInstall }: HelmHooks,
  variables: Readonly<Record<string, string | undefined>>,
): HelmHooks {
  const add = (hook: HelmHook): HelmHook => {
    const { object } = hook;
    if (podIn({ ...object }) === undefined) return hook;
    return { ...hook, object: withVariables({ object, written: object, file: '' }, variables).object };
  };
  return { preInstall: preInstall.map(add), postInstall: postInstall.map(add) };
}
