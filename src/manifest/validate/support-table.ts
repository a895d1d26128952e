/**
 * What podrun takes but does not do, for Pods that run as plain processes of the host. Every other field of a Pod is
 * honoured. This table is the only place that knows; rows go when the runtime learns what they are about.
 */

/** A field that has no effect. */
export interface UnenforcedRule {
  /** Below the Pod's spec; `list[]` stands for every item, `map{}` for every entry. */
  readonly field: string;
  /**
   * Values that change nothing: defaults, and what is so anyway. Empty text, lists and objects always count.
   * @param name of the field, or the key of the entry
   */
  readonly isHarmless?: (value: unknown, parent: Readonly<Record<string, unknown>>, name: string) => boolean;
  /** Why, for the event: one short sentence. */
  readonly note: string;
  /** People rely on it to be kept safe: said aloud at once, not only in an event. */
  readonly isSafety?: true;
}

/** A field that podrun refuses, because running without it would be something else. */
export interface RefusedRule {
  readonly field: string;
  /** Values that are fine. Empty text, lists and objects always count. */
  readonly isFine?: (value: unknown) => boolean;
  /** The text of the error behind its usual beginning. */
  readonly reason: (value: unknown) => string;
}

const ONE_NODE = 'there is one node and no scheduler';
const HOST_RESOLVER = 'containers use the resolver of the host';
const HOST_NAME_KEPT = 'only $HOSTNAME is set, the name of the host stays';
const HOST_FILES = 'containers see the files of the host';
const HOST_RIGHTS = 'containers have the rights of podrun';
const NO_LIMITS = 'no cgroup limits the processes';
const NO_IMAGES = 'no images are pulled';

const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** What a Pod stores is measured. */
const isMeasured = (_: unknown, _parent: unknown, resource: string): boolean => resource === 'ephemeral-storage';

const isUnconfined = (profile: unknown): boolean =>
  typeof profile === 'object' && profile !== null && 'type' in profile && profile.type === 'Unconfined';

const POD_RULES: readonly UnenforcedRule[] = [
  { field: 'dnsPolicy', isHarmless: is('ClusterFirst', 'Default'), note: HOST_RESOLVER },
  { field: 'dnsConfig', note: HOST_RESOLVER },
  { field: 'affinity.podAffinity', note: ONE_NODE },
  { field: 'affinity.podAntiAffinity', note: ONE_NODE },
  { field: 'topologySpreadConstraints', note: ONE_NODE },
  { field: 'tolerations', note: ONE_NODE },
  { field: 'schedulerName', isHarmless: is('default-scheduler'), note: ONE_NODE },
  { field: 'priorityClassName', note: ONE_NODE },
  { field: 'priority', isHarmless: is(0), note: ONE_NODE },
  { field: 'preemptionPolicy', isHarmless: is('PreemptLowerPriority'), note: ONE_NODE },
  { field: 'overhead', note: ONE_NODE },
  { field: 'hostUsers', isHarmless: is(true), note: 'users are those of the host', isSafety: true },
  { field: 'hostname', note: HOST_NAME_KEPT },
  { field: 'subdomain', note: HOST_NAME_KEPT },
  { field: 'hostnameOverride', note: HOST_NAME_KEPT },
  { field: 'setHostnameAsFQDN', isHarmless: is(false), note: HOST_NAME_KEPT },
  { field: 'hostAliases', note: 'containers use the hosts file of the host' },
  { field: 'automountServiceAccountToken', isHarmless: is(false), note: 'there is no server that gives tokens' },
  { field: 'imagePullSecrets', note: NO_IMAGES },
  { field: 'resources.limits{}', isHarmless: isMeasured, note: NO_LIMITS, isSafety: true },
  { field: 'securityContext.fsGroup', note: HOST_FILES },
  { field: 'securityContext.fsGroupChangePolicy', note: HOST_FILES },
  { field: 'securityContext.supplementalGroups', note: HOST_RIGHTS },
  { field: 'securityContext.supplementalGroupsPolicy', note: HOST_RIGHTS },
  { field: 'securityContext.seLinuxChangePolicy', note: HOST_RIGHTS },
  { field: 'volumes[].emptyDir.medium', note: 'the folder is on disk' },
];

/** Fields that the security contexts of Pods and of containers share. */
const SHARED_SECURITY_RULES: readonly UnenforcedRule[] = [
  { field: 'securityContext.seccompProfile', isHarmless: isUnconfined, note: HOST_RIGHTS, isSafety: true },
  { field: 'securityContext.appArmorProfile', isHarmless: isUnconfined, note: HOST_RIGHTS, isSafety: true },
  { field: 'securityContext.seLinuxOptions', note: HOST_RIGHTS },
  { field: 'securityContext.windowsOptions', note: 'this is no Windows node' },
];

const CONTAINER_RULES: readonly UnenforcedRule[] = [
  ...SHARED_SECURITY_RULES,
  { field: 'securityContext.privileged', isHarmless: is(false), note: HOST_RIGHTS },
  { field: 'securityContext.capabilities.add', note: HOST_RIGHTS },
  { field: 'securityContext.capabilities.drop', note: HOST_RIGHTS, isSafety: true },
  { field: 'securityContext.allowPrivilegeEscalation', isHarmless: is(true), note: HOST_RIGHTS, isSafety: true },
  { field: 'securityContext.readOnlyRootFilesystem', isHarmless: is(false), note: HOST_FILES, isSafety: true },
  { field: 'securityContext.procMount', isHarmless: is('Default'), note: HOST_FILES },
  { field: 'resources.limits{}', isHarmless: isMeasured, note: NO_LIMITS, isSafety: true },
  {
    field: 'ports[].hostPort',
    isHarmless: (port, { containerPort }) => port === 0 || port === containerPort,
    note: 'the process listens on the ports it opens',
  },
  { field: 'tty', isHarmless: is(false), note: 'containers have no terminal' },
  { field: 'ports[].hostIP', note: 'the process listens where it wants' },
  { field: 'volumeMounts[].readOnly', isHarmless: is(false), note: HOST_FILES, isSafety: true },
  { field: 'volumeMounts[].recursiveReadOnly', isHarmless: is('Disabled'), note: HOST_FILES },
  { field: 'volumeMounts[].mountPropagation', isHarmless: is('None'), note: HOST_FILES },
];

const ofContainers = <Rule extends { readonly field: string }>(rules: readonly Rule[]): Rule[] =>
  ['initContainers[]', 'containers[]'].flatMap((list) =>
    rules.map((rule) => ({ ...rule, field: `${list}.${rule.field}` })),
  );

/** In the order in which they are said. */
export const UNENFORCED: readonly UnenforcedRule[] = [
  ...POD_RULES,
  ...SHARED_SECURITY_RULES,
  ...ofContainers(CONTAINER_RULES),
];

/** Volumes on storage that only a cluster reaches. */
const REMOTE_VOLUMES = [
  'awsElasticBlockStore',
  'azureDisk',
  'azureFile',
  'cephfs',
  'cinder',
  'csi',
  'fc',
  'flexVolume',
  'flocker',
  'gcePersistentDisk',
  'gitRepo',
  'glusterfs',
  'image',
  'iscsi',
  'nfs',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
  'vsphereVolume',
];

export const REFUSED: readonly RefusedRule[] = [
  ...REMOTE_VOLUMES.map((type) => ({
    field: `volumes[].${type}`,
    reason: () => `volume type ${type} is not available here`,
  })),
  { field: 'volumes[].projected.sources[].serviceAccountToken', reason: () => 'there is no server that gives tokens' },
  ...['clusterTrustBundle', 'podCertificate'].map((source) => ({
    field: `volumes[].projected.sources[].${source}`,
    reason: () => 'there is no server that gives certificates',
  })),
  { field: 'resourceClaims', reason: () => 'there are no devices to claim' },
  ...ofContainers<RefusedRule>([
    { field: 'resources.claims', reason: () => 'there are no devices to claim' },
    { field: 'volumeDevices', reason: () => 'there are no block devices' },
  ]),
  {
    field: 'securityContext.sysctls',
    reason: () => 'kernel settings would change the host',
  },
  { field: 'runtimeClassName', reason: (name) => `pod rejected: RuntimeClass "${String(name)}" not found` },
  { field: 'os.name', isFine: is('linux'), reason: () => 'this node runs linux' },
];
