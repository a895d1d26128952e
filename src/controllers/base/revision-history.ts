import { isJsonObject, isSameJson, type PodTemplateSpec } from '../../api/index.ts';
import { createAction, patchAction } from './actions.ts';
import { templateHash } from './names.ts';
import { controllerReference } from './ownership.ts';
import type { ControllerAction, NewObject, Owned, StoredRevision } from './reconcile.ts';

/** ControllerRevisions: the templates that a StatefulSet or a DaemonSet has had. Source: pkg/controller/history. */

type Texts = Readonly<Record<string, string>>;

/** The metadata of revisions, which differ between the kinds. */
export interface RevisionStyle {
  /** The label with the hash. */
  readonly hashLabel: string;
  readonly annotations: Texts | undefined;
  readonly collisionCount: number | undefined;
}

/** The revision of the owner's template, or the write that it lacks. */
export type UpdateRevision =
  | { readonly revision: StoredRevision; readonly actions?: never }
  | { readonly revision?: never; readonly actions: readonly ControllerAction[] };

/**
 * The newest revision, if it has the template; else an older one with the template is counted up again; else one is
 * made. Source: pkg/controller/statefulset/stateful_set_control.go getStatefulSetRevisions.
 * @param revisions the owner's, in order
 */
export function updateRevisionOf(
  owner: Owned,
  template: PodTemplateSpec,
  revisions: readonly StoredRevision[],
  style: RevisionStyle,
): UpdateRevision {
  const data = revisionData(template);
  const newest = revisions.at(-1);
  if (newest !== undefined && isSameJson(newest.data, data)) return { revision: newest };
  const number = (newest?.revision ?? 0) + 1;
  const equal = revisions.findLast((revision) => isSameJson(revision.data, data));
  if (equal !== undefined) return { actions: [patchAction(equal, { revision: number })] };
  return { actions: [createAction(newRevision(owner, template, number, style))] };
}

function newRevision(owner: Owned, template: PodTemplateSpec, revision: number, style: RevisionStyle): NewObject {
  const hash = templateHash(template, style.collisionCount);
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${owner.metadata.name}-${hash}`,
      namespace: owner.metadata.namespace,
      labels: { ...template.metadata?.labels, [style.hashLabel]: hash },
      ...(style.annotations === undefined ? {} : { annotations: style.annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: revisionData(template),
    revision,
  };
}

/**
 * A strategic merge patch that sets the template. Its keys are in order, as Go writes maps: clients compare the bytes.
 * Source: stateful_set_utils.go getPatch.
 */
function revisionData(template: PodTemplateSpec): unknown {
  return inOrder({ spec: { template: { ...template, $patch: 'replace' } } });
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOrder(inner)]));
}

/** The template of a revision. Source: stateful_set_utils.go ApplyRevision. */
export function templateOfRevision({ data }: StoredRevision): PodTemplateSpec | undefined {
  const spec = isJsonObject(data) ? data['spec'] : undefined;
  const template = isJsonObject(spec) ? spec['template'] : undefined;
  if (!isJsonObject(template)) return undefined;
  const { $patch: _, ...rest } = template;
  return rest;
}

/** Revisions by their number, the oldest first. Source: history.SortControllerRevisions. */
export function inOrderOfRevision(revisions: readonly StoredRevision[]): StoredRevision[] {
  return revisions.toSorted((a, b) => {
    if (a.revision !== b.revision) return a.revision - b.revision;
    return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;
  });
}

/** The oldest revisions beyond the limit that are not in use. Source: truncateHistory, cleanupHistory. */
export function expiredHistory(
  revisions: readonly StoredRevision[],
  isUsed: (revision: StoredRevision) => boolean,
  limit: number | undefined,
): StoredRevision[] {
  const unused = revisions.filter((revision) => !isUsed(revision));
  return limit === undefined ? [] : unused.slice(0, Math.max(0, unused.length - limit));
}
