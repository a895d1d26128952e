import type {
  ConfigMap,
  LoadBalancerIngress,
  Namespace,
  Node,
  PersistentVolumeClaim,
  Secret,
  Service,
  ServiceAccount,
} from '../../api/generated/types.ts';
import type { StoredEvent, StoredKubeObject, StoredPod } from '../../api/objects.ts';
import { claimCapacity, claimClass, claimModes } from '../table/claim-cells.ts';
import { formatDate } from '../age.ts';
import { labelText, sortedEntries } from '../text/labels.ts';
import { align, optional } from './align.ts';
import { describeEvents, eventsAbout } from './describe-events.ts';
import { describeNode } from './describe-node.ts';
import { endpointsOf } from './endpoints.ts';
import { line } from './line.ts';
import { describeAnnotations, describeLabels, keyedLines } from './metadata.ts';

/** Facts for `describe` that are not in the object itself. */
export interface DescribeContext {
  /** Events about any objects. Undefined for `--show-events=false`. */
  readonly events: readonly StoredEvent[] | undefined;
  /** The Pods of the object's namespace, or of all namespaces for an object without one. */
  readonly pods: readonly StoredPod[];
  /** The Secrets of the object's namespace. */
  readonly secrets: readonly (StoredKubeObject & Secret)[];
  /** The current time for ages, milliseconds since 1970. */
  readonly nowMs: number;
}

type Describe = (object: never, context: DescribeContext) => readonly string[];

/** The kinds that `describe` supports besides Pods. `hasEvents` tells whether their events are shown. */
const KINDS: Readonly<Record<string, { readonly describe: Describe; readonly hasEvents: boolean }>> = {
  ConfigMap: { describe: describeConfigMap, hasEvents: true },
  Secret: { describe: describeSecret, hasEvents: false },
  Service: { describe: describeService, hasEvents: true },
  PersistentVolumeClaim: { describe: describeClaim, hasEvents: true },
  ServiceAccount: { describe: describeServiceAccount, hasEvents: true },
  Namespace: { describe: describeNamespace, hasEvents: false },
  Node: {
    describe: (node: StoredKubeObject & Node, { pods, nowMs }) => describeNode(node, pods, nowMs),
    hasEvents: true,
  },
};

/** True for kinds that `describe` supports besides Pods. */
export function isDescribed(kind: string): boolean {
  return Object.hasOwn(KINDS, kind);
}

/**
 * The output of `describe` for a stored object, that of kubectl v1.32. Sorts by name where kubectl's order is random.
 * Source: k8s.io/kubectl/pkg/describe/describe.go.
 */
export function describeRecord(object: StoredKubeObject, context: DescribeContext): string {
  const kind = KINDS[object.kind];
  if (kind === undefined) return '';
  const events = kind.hasEvents ? context.events && eventsAbout(object, context.events) : undefined;
  const lines = [
    ...kind.describe(object as never, context),
    ...(events?.length === 0 ? [line(0, 'Events:', '<none>')] : []),
  ];
  return align(lines) + (events && events.length > 0 ? align(describeEvents(events, context.nowMs)) : '');
}

function describeIdentity({ metadata }: StoredKubeObject): string[] {
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
  ];
}

function describeConfigMap(map: StoredKubeObject & ConfigMap): string[] {
  return [
    ...describeIdentity(map),
    '',
    'Data',
    '====',
    ...sortedEntries(map.data).flatMap(([key, value]) => [`${key}:`, '----', value, '']),
    '',
    'BinaryData',
    '====',
    ...sortedEntries(map.binaryData).map(([key, value]) => `${key}: ${bytesOf(value)} bytes`),
    '',
  ];
}

/** The lines about a Secret, without its values. Tokens, which kubectl shows, are hidden too. */
function describeSecret(secret: StoredKubeObject & Secret): string[] {
  return [
    ...describeIdentity(secret),
    '',
    line(0, 'Type:', secret.type ?? 'Opaque'),
    '',
    'Data',
    '====',
    ...sortedEntries(secret.data).map(([key, value]) => line(0, `${key}:`, `${bytesOf(value)} bytes`)),
  ];
}

/** The length of a base64 text after decoding. */
function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/[=\s]/g, '').length * 3) / 4);
}

function describeService(service: StoredKubeObject & Service, { pods }: DescribeContext): string[] {
  const { spec = {}, status } = service;
  const { ports = [], clusterIPs = [], ipFamilies = [], sessionAffinity = 'None' } = spec;
  const ingress = status?.loadBalancer?.ingress ?? [];
  return [
    ...describeIdentity(service),
    line(0, 'Selector:', labelText(spec.selector)),
    line(0, 'Type:', spec.type ?? 'ClusterIP'),
    ...optional('IP Family Policy:', spec.ipFamilyPolicy),
    line(0, 'IP Families:', ipFamilies.join(',') || '<none>'),
    line(0, 'IP:', spec.clusterIP ?? ''),
    line(0, 'IPs:', clusterIPs.join(',') || '<none>'),
    ...optional('External IPs:', spec.externalIPs?.join(',')),
    ...optional('Desired LoadBalancer IP:', spec.loadBalancerIP),
    ...optional('External Name:', spec.externalName),
    ...optional('LoadBalancer Ingress:', ingress.map(ingressText).join(', ')),
    ...ports.flatMap((port) => {
      const { name = '<unset>', protocol = 'TCP', targetPort = port.port, nodePort } = port;
      return [
        line(0, 'Port:', name, `${port.port}/${protocol}`),
        line(0, 'TargetPort:', `${targetPort}/${protocol}`),
        ...(nodePort ? [line(0, 'NodePort:', name, `${nodePort}/${protocol}`)] : []),
        line(0, 'Endpoints:', endpointsOf(service, port, pods)),
      ];
    }),
    line(0, 'Session Affinity:', sessionAffinity),
    ...optional('External Traffic Policy:', spec.externalTrafficPolicy),
    ...optional('Internal Traffic Policy:', spec.internalTrafficPolicy),
    ...optional('HealthCheck NodePort:', spec.healthCheckNodePort || undefined),
    ...optional('LoadBalancer Source Ranges:', spec.loadBalancerSourceRanges?.join(',')),
  ];
}

function ingressText({ ip, ipMode, hostname }: LoadBalancerIngress): string {
  if (!ip) return hostname ?? '';
  return ipMode === undefined ? ip : `${ip} (${ipMode})`;
}

function describeClaim(claim: StoredKubeObject & PersistentVolumeClaim, { pods }: DescribeContext): string[] {
  const { metadata, spec = {}, status = {} } = claim;
  const { apiGroup, kind = '', name = '' } = spec.dataSource ?? {};
  const users = pods.filter((pod) =>
    pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === metadata.name),
  );
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'StorageClass:', claimClass(claim)),
    line(0, 'Status:', status.phase ?? 'Pending'),
    line(0, 'Volume:', spec.volumeName ?? ''),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Finalizers:', `[${(metadata.finalizers ?? []).join(' ')}]`),
    line(0, 'Capacity:', claimCapacity(claim)),
    line(0, 'Access Modes:', claimModes(claim)),
    ...optional('VolumeMode:', spec.volumeMode),
    ...(spec.dataSource === undefined
      ? []
      : [
          line(0, 'DataSource:'),
          ...(apiGroup ? [line(1, 'APIGroup:', apiGroup)] : []),
          line(1, 'Kind:', kind),
          line(1, 'Name:', name),
        ]),
    ...keyedLines(
      'Used By',
      users.map((pod) => pod.metadata.name),
      0,
    ),
    ...describeClaimConditions(status),
  ];
}

function describeClaimConditions({ conditions = [] }: NonNullable<PersistentVolumeClaim['status']>): string[] {
  if (conditions.length === 0) return [];
  const date = (time: string | null | undefined): string =>
    time ? formatDate(time) : 'Mon, 01 Jan 0001 00:00:00 +0000';
  return [
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status', 'LastProbeTime', 'LastTransitionTime', 'Reason', 'Message'),
    line(1, '----', '------', '-----------------', '------------------', '------', '-------'),
    ...conditions.map(({ type, status, lastProbeTime, lastTransitionTime, reason, message }) =>
      line(
        1,
        `${type} `,
        `${status} `,
        `${date(lastProbeTime)} `,
        `${date(lastTransitionTime)} `,
        `${reason ?? ''} `,
        message ?? '',
      ),
    ),
  ];
}

function describeServiceAccount(account: StoredKubeObject & ServiceAccount, { secrets }: DescribeContext): string[] {
  const present = new Set(secrets.map(({ metadata }) => metadata.name));
  const tokens = secrets.filter(
    ({ type, metadata: { annotations = {} } }) =>
      type === 'kubernetes.io/service-account-token' &&
      annotations['kubernetes.io/service-account.name'] === account.metadata.name &&
      annotations['kubernetes.io/service-account.uid'] === account.metadata.uid,
  );
  const named = (refs: ReadonlyArray<{ readonly name?: string | undefined }> = []): string[] =>
    refs.map(({ name = '' }) => (present.has(name) ? name : `${name} (not found)`));
  // The continuation lines are padded as kubectl pads them.
  const list = (title: string, [first = '<none>', ...more]: readonly string[]): string[] => [
    line(0, title, first),
    ...more.map((text) => line(0, ' '.repeat(title.length), text)),
  ];
  return [
    ...describeIdentity(account),
    ...list('Image pull secrets:', named(account.imagePullSecrets)),
    ...list('Mountable secrets: ', named(account.secrets)),
    ...list(
      'Tokens:            ',
      tokens.map(({ metadata }) => metadata.name),
    ),
  ];
}

function describeNamespace({ metadata, status }: StoredKubeObject & Namespace): string[] {
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Status:', status?.phase ?? 'Active'),
    '',
    'No resource quota.',
    '',
    'No LimitRange resource.',
  ];
}
