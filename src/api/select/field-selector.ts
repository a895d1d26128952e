import { fromServer, usage } from '../base/errors.ts';
import type { Job, Namespace, Node, ReplicaSet, Service } from '../generated/types.ts';
import type { KubeObject, StoredEvent, StoredPod } from '../base/objects.ts';

/** True when an object matches the selector. */
export type FieldMatcher = (object: KubeObject) => boolean;

/** The selectable fields of a resource. A missing field is an empty text. */
type Fields<T> = Readonly<Record<string, (object: T) => string | boolean | undefined>>;

const COMMON: Fields<Pick<KubeObject, 'metadata'>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace,
};

/** Source: pkg/registry/core/pod/strategy.go, ToSelectableFields. */
const POD: Fields<StoredPod> = {
  ...COMMON,
  'spec.nodeName': ({ spec }) => spec.nodeName,
  'spec.restartPolicy': ({ spec }) => spec.restartPolicy,
  'spec.schedulerName': ({ spec }) => spec.schedulerName,
  'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName,
  'spec.hostNetwork': ({ spec }) => spec.hostNetwork ?? false,
  'status.phase': ({ status }) => status.phase,
  'status.podIP': ({ status }) => status.podIPs?.[0]?.ip,
  'status.nominatedNodeName': ({ status }) => status.nominatedNodeName,
};

/** Source: pkg/registry/core/event/strategy.go, ToSelectableFields. */
const EVENT: Fields<StoredEvent> = {
  ...COMMON,
  'involvedObject.kind': ({ involvedObject }) => involvedObject.kind,
  'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace,
  'involvedObject.name': ({ involvedObject }) => involvedObject.name,
  'involvedObject.uid': ({ involvedObject }) => involvedObject.uid,
  'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion,
  'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion,
  'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath,
  reason: ({ reason }) => reason,
  reportingComponent: ({ reportingComponent }) => reportingComponent,
  source: ({ source, reportingComponent }) => source?.component || reportingComponent,
  type: ({ type }) => type,
};

/** The same Events by the names of the group events.k8s.io. Source: pkg/registry/core/event/strategy.go. */
const NEW_EVENT: Fields<StoredEvent> = {
  ...COMMON,
  ...Object.fromEntries(
    Object.entries(EVENT).flatMap(([name, value]) => {
      if (!name.startsWith('involvedObject.')) return [];
      return [[name.replace('involvedObject', 'regarding'), value]];
    }),
  ),
  reason: EVENT['reason']!,
  reportingController: EVENT['reportingComponent']!,
  type: EVENT['type']!,
};

const SECRET: Fields<{ type?: string } & Pick<KubeObject, 'metadata'>> = { ...COMMON, type: ({ type }) => type };

/** Source: pkg/registry/apps/replicaset/strategy.go, pkg/registry/core/replicationcontroller/strategy.go. */
const REPLICA_SET: Fields<ReplicaSet & Pick<KubeObject, 'metadata'>> = {
  ...COMMON,
  'status.replicas': ({ status }) => String(status?.replicas ?? 0),
};

/** Source: pkg/registry/batch/job/strategy.go, JobToSelectableFields. */
const JOB: Fields<Job & Pick<KubeObject, 'metadata'>> = {
  ...COMMON,
  'status.successful': ({ status }) => String(status?.succeeded ?? 0),
};

/** Source: pkg/registry/core/service/strategy.go, SelectableFields. */
const SERVICE: Fields<Service & Pick<KubeObject, 'metadata'>> = {
  ...COMMON,
  'spec.clusterIP': ({ spec }) => spec?.clusterIP,
  'spec.type': ({ spec }) => spec?.type,
};

const NAMESPACE: Fields<Namespace & Pick<KubeObject, 'metadata'>> = {
  ...COMMON,
  'status.phase': ({ status }) => status?.phase,
};

const NODE: Fields<Node & Pick<KubeObject, 'metadata'>> = {
  ...COMMON,
  'spec.unschedulable': ({ spec }) => spec?.unschedulable ?? false,
};

/** Source: pkg/registry/resource/resourceslice/strategy.go, pkg/registry/certificates/certificates/strategy.go. */
const RESOURCE_SLICE: Fields<KubeObject> = {
  'metadata.name': COMMON['metadata.name']!,
  'spec.nodeName': (object) => textAt(object, ['spec', 'nodeName']),
  'spec.driver': (object) => textAt(object, ['spec', 'driver']),
};
const SIGNING_REQUEST: Fields<KubeObject> = {
  'metadata.name': COMMON['metadata.name']!,
  'spec.signerName': (object) => textAt(object, ['spec', 'signerName']),
};

const FIELDS: Readonly<Record<string, Fields<never>>> = {
  pods: POD,
  events: EVENT,
  'events.events.k8s.io': NEW_EVENT,
  secrets: SECRET,
  replicasets: REPLICA_SET,
  replicationcontrollers: REPLICA_SET,
  jobs: JOB,
  services: SERVICE,
  namespaces: NAMESPACE,
  nodes: NODE,
  resourceslices: RESOURCE_SLICE,
  certificatesigningrequests: SIGNING_REQUEST,
};

/** A term: the path of a field and its required or excluded value. */
interface Term {
  readonly field: string;
  readonly value: string;
  readonly isNegated: boolean;
}

/**
 * Parses a field selector for objects of one resource: `status.phase=Running,metadata.name!=web`. Source:
 * apimachinery/pkg/fields/selector.go.
 * @param resource plural; each resource has its own fields
 * @param more the paths of fields that a custom resource has beside: `spec.color`
 * @throws {PodrunError} in the words of the API server
 */
export function parseFieldSelector(text: string, resource: string, more: readonly string[] = []): FieldMatcher {
  const own = more.map((path) => [path, (object: KubeObject) => textAt(object, path.split('.'))] as const);
  const fields = { ...((FIELDS[resource] ?? COMMON) as Fields<KubeObject>), ...Object.fromEntries(own) };
  const terms = splitTerms(text).map((term) => parseTerm(term, text));
  for (const { field } of terms) {
    if (Object.hasOwn(fields, field)) continue;
    const known = Object.keys(fields).map((path) => JSON.stringify(path));
    throw fromServer(
      'BadRequest',
      Object.hasOwn(FIELDS, resource) || more.length > 0
        ? `field label not supported: ${field}`
        : `${JSON.stringify(field)} is not a known field selector: only ${known.join(', ')}`,
      `The fields of ${resource} to select by are ${Object.keys(fields).join(', ')}.`,
    );
  }
  return (object) =>
    terms.every(({ field, value, isNegated }) => {
      const actual = String(fields[field]?.(object) ?? '');
      return (actual === value) !== isNegated;
    });
}

/** The name that a selector asks for, and no other. Undefined: it asks for none, or cannot be read. */
export function selectedName(text: string): string | undefined {
  try {
    const terms = splitTerms(text).map((term) => parseTerm(term, text));
    return terms.find(({ field, isNegated }) => field === 'metadata.name' && !isNegated)?.value;
  } catch {
    return undefined;
  }
}

/** The value of a field as text. Undefined: there is none. */
function textAt(object: object, path: readonly string[]): string | undefined {
  let value: unknown = object;
  for (const field of path) value = (value as Record<string, unknown> | undefined)?.[field];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** Splits a selector at its commas. A backslash escapes the next character. */
function splitTerms(text: string): string[] {
  return [...text.matchAll(/(?:\\.|[^\\,])+/gs)].map(([term]) => term);
}

function parseTerm(term: string, text: string): Term {
  const [, field = '', operator = '', value = ''] = /^(.*?)(!=|==|=)(.*)/s.exec(term) ?? [];
  if (operator === '') {
    throw usage(`invalid field selector ${JSON.stringify(text)}: can't understand '${term}'`);
  }
  return { field: field.trim(), value: value.replaceAll(/\\([\\,=])/g, '$1'), isNegated: operator === '!=' };
}
