import type { KubeObject } from '../api/index.ts';
import type { UnreadObject } from './check/load-object.ts';
import type { ManifestObject } from './manifest-object.ts';

const HOOK = 'helm.sh/hook';
const WEIGHT = 'helm.sh/hook-weight';
const DELETE_POLICY = 'helm.sh/hook-delete-policy';

/** The time of a hook that an installation runs. */
export type HelmHookEvent = 'pre-install' | 'post-install';

/** The time at which helm deletes the object of a hook. */
type HelmHookPolicy = 'before-hook-creation' | 'hook-succeeded' | 'hook-failed';

/** An object of a chart that helm creates by itself, before or after all else. */
export interface HelmHook {
  /** As written. */
  readonly object: KubeObject;
  readonly policies: readonly HelmHookPolicy[];
}

/** The hooks of an installation, each list in the order in which they run. */
export interface HelmHooks {
  readonly preInstall: readonly HelmHook[];
  readonly postInstall: readonly HelmHook[];
}

export const NO_HELM_HOOKS: HelmHooks = { preInstall: [], postInstall: [] };

/** Objects without hooks, and the hooks. */
interface WithoutHooks<T, U> {
  readonly objects: readonly T[];
  readonly unread: readonly U[];
  readonly hooks: HelmHooks;
  /** A sentence about what is left out. Undefined: nothing is. */
  readonly warning: string | undefined;
}

type HookObject = Pick<ManifestObject, 'object' | 'written'>;
type UnreadHook = Pick<UnreadObject, 'object'>;

/** The names of hooks. An object with another name in its annotation is nothing that helm creates. */
const EVENTS: ReadonlySet<string> = new Set([
  'pre-install',
  'post-install',
  'pre-delete',
  'post-delete',
  'pre-upgrade',
  'post-upgrade',
  'pre-rollback',
  'post-rollback',
  'test',
  'test-success',
]);

const POLICIES: readonly HelmHookPolicy[] = ['before-hook-creation', 'hook-succeeded', 'hook-failed'];

/** The kinds in the order in which helm creates objects. Source: helm, pkg/releaseutil/kind_sorter.go, InstallOrder. */
const KINDS = (
  'PriorityClass Namespace NetworkPolicy ResourceQuota LimitRange PodSecurityPolicy PodDisruptionBudget ' +
  'ServiceAccount Secret SecretList ConfigMap StorageClass PersistentVolume PersistentVolumeClaim ' +
  'CustomResourceDefinition ClusterRole ClusterRoleList ClusterRoleBinding ClusterRoleBindingList Role RoleList ' +
  'RoleBinding RoleBindingList Service DaemonSet Pod ReplicationController ReplicaSet Deployment ' +
  'HorizontalPodAutoscaler StatefulSet Job CronJob IngressClass Ingress APIService'
).split(' ');

/**
 * Leaves out the hooks of a chart, which `helm template` prints among the rest.
 * @param isRunning true: all hooks are apart, and the sentence names hooks that no installation runs. False: Jobs and
 *   Pods are left out, which helm runs before or after an installation, at a deletion, as a test. Other objects with
 *   such an annotation stay: Pods may need them
 */
export function withoutHelmHooks<T extends HookObject, U extends UnreadHook>(
  { objects, unread }: { readonly objects: readonly T[]; readonly unread: readonly U[] },
  isRunning: boolean,
): WithoutHooks<T, U> {
  const isHook = ({ object: { kind, metadata } }: HookObject | UnreadHook): boolean =>
    metadata.annotations?.[HOOK] !== undefined && (isRunning || kind === 'Job' || kind === 'Pod');
  const known = objects.filter(isHook).map(({ written }) => newHook(written));
  const all = [...known, ...unread.filter(isHook).map(({ object }) => newHook(object))];
  const run = isRunning ? all : [];
  const hooks = { preInstall: hooksAt('pre-install', run), postInstall: hooksAt('post-install', run) };
  const idle = all.filter((hook) => !hooks.preInstall.includes(hook) && !hooks.postInstall.includes(hook));
  const names = idle.map(({ object: { kind, metadata } }) => {
    return `${kind.toLowerCase()}/${metadata.name} (${metadata.annotations?.[HOOK]})`;
  });
  return {
    objects: objects.filter((each) => !isHook(each)),
    unread: unread.filter((each) => !isHook(each)),
    hooks,
    warning: names.length === 0 ? undefined : `hooks of helm are not run: ${names.join(', ')}`,
  };
}

function newHook(object: KubeObject): HelmHook {
  const words = wordsOf(object, DELETE_POLICY);
  const isGiven = object.metadata.annotations?.[DELETE_POLICY] !== undefined;
  return { object, policies: isGiven ? POLICIES.filter((policy) => words.includes(policy)) : ['before-hook-creation'] };
}

/** The hooks of a time, by weight, then by name, then by kind. Source: helm, pkg/action/hooks.go, execHook. */
function hooksAt(event: HelmHookEvent, hooks: readonly HelmHook[]): HelmHook[] {
  const due = hooks.filter(({ object }) => {
    const events = wordsOf(object, HOOK);
    return events.includes(event) && events.every((word) => EVENTS.has(word));
  });
  return due.toSorted(
    (one, other) =>
      weightOf(one) - weightOf(other) ||
      compareTexts(one.object.metadata.name ?? '', other.object.metadata.name ?? '') ||
      rankOf(one) - rankOf(other),
  );
}

/** The words of an annotation: `pre-install, post-install`. */
function wordsOf({ metadata }: KubeObject, annotation: string): string[] {
  return (metadata.annotations?.[annotation] ?? '').split(',').map((word) => word.trim().toLowerCase());
}

/** A text that is no whole number weighs nothing. */
function weightOf({ object: { metadata } }: HelmHook): number {
  const text = metadata.annotations?.[WEIGHT] ?? '';
  return /^[+-]?\d+$/.test(text) ? Number(text) : 0;
}

function rankOf({ object: { kind } }: HelmHook): number {
  return KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length;
}

function compareTexts(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
