import type { ManifestObject } from './manifest-object.ts';

const HOOK = 'helm.sh/hook';

/** The objects of a run, and a sentence about what is left out. */
interface WithoutHooks<T> {
  readonly objects: readonly T[];
  /** Undefined: nothing is left out. */
  readonly warning: string | undefined;
}

/**
 * Leaves out the Jobs and Pods of a chart that helm runs itself: before or after an installation, at a deletion, as a
 * test. `helm template` prints them among the rest. Other objects with such an annotation stay: Pods may need them.
 */
export function withoutHelmHooks<T extends ManifestObject>(objects: readonly T[]): WithoutHooks<T> {
  const hooks = objects.filter(({ object: { kind, metadata } }) => {
    return (kind === 'Job' || kind === 'Pod') && metadata.annotations?.[HOOK] !== undefined;
  });
  if (hooks.length === 0) return { objects, warning: undefined };
  const names = hooks.map(({ object: { kind, metadata } }) => {
    return `${kind.toLowerCase()}/${metadata.name} (${metadata.annotations?.[HOOK]})`;
  });
  const warning = `hooks of helm are not run: ${names.join(', ')}`;
  return { objects: objects.filter((each) => !hooks.includes(each)), warning };
}
