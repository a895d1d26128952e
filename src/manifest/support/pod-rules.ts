import { checked, DROPPED, FIELD_BY_FIELD, is, noEffect, partly, READ_ONLY, refused } from './rule.ts';
import { type FieldRule, type SupportTable, needs, needsNamespaces, needsNodes, works } from './rule.ts';

const BETWEEN_NODES = needsNodes('there is one node; with --nodes it works as on a cluster');
const NODE_NETWORK = needs(
  noEffect('several nodes share the network of this machine; with --network cluster each has its own', is(false)),
  (_, { hasNodes, hasPodNetwork }) => hasNodes !== true || hasPodNetwork === true,
);
const HOST_RESOLVER = 'containers use the resolver of the host';
const HOST_NAME = partly('in the process tier, only $HOSTNAME has it: the host keeps its name');
const NO_NAMESPACES = 'always true in the process tier: containers are processes of the host';

/** The rule of a field that is fulfilled without doing anything. */
const ALWAYS_SO: FieldRule = { treatment: 'works', note: NO_NAMESPACES };

/** The rules of a Pod, apart from its containers, volumes and security context. */
export const POD_RULES: SupportTable = {
  Pod: { ...works('apiVersion', 'kind', 'metadata', 'spec'), status: READ_ONLY },
  PodSpec: {
    ...works('restartPolicy', 'terminationGracePeriodSeconds', 'activeDeadlineSeconds', 'readinessGates'),
    ...works('priorityClassName', 'nodeName', 'nodeSelector', 'schedulingGates', 'overhead'),
    hostNetwork: NODE_NETWORK,
    ...works('enableServiceLinks'),
    priority: partly('the Pods of one state folder make room for each other'),
    preemptionPolicy: partly('the Pods of one state folder make room for each other'),
    serviceAccount: checked('the old name of serviceAccountName'),
    dnsPolicy: needsNamespaces(noEffect(HOST_RESOLVER, is('ClusterFirst', 'Default'))),
    dnsConfig: needsNamespaces(noEffect(HOST_RESOLVER)),
    affinity: FIELD_BY_FIELD,
    topologySpreadConstraints: BETWEEN_NODES,
    tolerations: partly('of the taints that users and podrun.yaml give this node'),
    schedulerName: noEffect('there is one scheduler', is('default-scheduler')),
    hostPID: ALWAYS_SO,
    hostIPC: ALWAYS_SO,
    shareProcessNamespace: ALWAYS_SO,
    hostUsers: partly('false: root of the container is not root of the machine; podrun refuses it when run as root'),
    hostname: HOST_NAME,
    subdomain: HOST_NAME,
    hostnameOverride: HOST_NAME,
    setHostnameAsFQDN: HOST_NAME,
    hostAliases: needsNamespaces(noEffect('containers use the hosts file of the host')),
    serviceAccountName: partly('the downward API shows it; `podrun serve` issues tokens of it'),
    automountServiceAccountToken: partly('decides about the file namespace, and beside `podrun serve` about the token'),
    imagePullSecrets: partly('for images that podrun pulls (--images)'),
    runtimeClassName: partly(
      'the handlers are the tiers of podrun, crun and runc as root, and the handlers in podrun.yaml',
    ),
    os: FIELD_BY_FIELD,
    resourceClaims: refused('there are no devices to claim'),
    schedulingGroup: DROPPED,
    resources: FIELD_BY_FIELD,
    securityContext: FIELD_BY_FIELD,
    volumes: FIELD_BY_FIELD,
    initContainers: FIELD_BY_FIELD,
    containers: FIELD_BY_FIELD,
    ephemeralContainers: partly('added to a Pod that runs, as on a cluster'),
  },
  PodOS: works('name'),
  Toleration: {
    ...works('key', 'operator', 'value', 'effect'),
    tolerationSeconds: partly('for taints that users give this node'),
  },
  PodReadinessGate: works('conditionType'),
  PodSchedulingGate: works('name'),
  Affinity: {
    nodeAffinity: FIELD_BY_FIELD,
    podAffinity: BETWEEN_NODES,
    podAntiAffinity: FIELD_BY_FIELD,
  },
  PodAntiAffinity: {
    ...works('requiredDuringSchedulingIgnoredDuringExecution'),
    preferredDuringSchedulingIgnoredDuringExecution: BETWEEN_NODES,
  },
  PodAffinityTerm: {
    ...works('topologyKey', 'labelSelector', 'namespaces', 'namespaceSelector'),
    matchLabelKeys: { treatment: 'works', note: 'becomes a part of labelSelector' },
    mismatchLabelKeys: { treatment: 'works', note: 'becomes a part of labelSelector' },
  },
  NodeAffinity: {
    ...works('requiredDuringSchedulingIgnoredDuringExecution'),
    preferredDuringSchedulingIgnoredDuringExecution: BETWEEN_NODES,
  },
  NodeSelector: works('nodeSelectorTerms'),
  NodeSelectorTerm: works('matchExpressions', 'matchFields'),
  NodeSelectorRequirement: works('key', 'operator', 'values'),
  'meta.ObjectMeta': {
    ...works('name', 'namespace', 'labels', 'annotations', 'finalizers', 'ownerReferences'),
    generateName: partly('for create -f; apply needs a name, as kubectl apply does'),
    uid: READ_ONLY,
    resourceVersion: READ_ONLY,
    generation: READ_ONLY,
    creationTimestamp: READ_ONLY,
    deletionTimestamp: READ_ONLY,
    deletionGracePeriodSeconds: READ_ONLY,
    selfLink: READ_ONLY,
    managedFields: checked('stored unchanged: podrun does not track field managers'),
  },
  'meta.OwnerReference': works('apiVersion', 'blockOwnerDeletion', 'controller', 'kind', 'name', 'uid'),
};
