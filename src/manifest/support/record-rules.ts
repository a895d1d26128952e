import { checked, FIELD_BY_FIELD, is, noEffect, partly, READ_ONLY, type SupportTable, works } from './rule.ts';

const OBJECT = works('apiVersion', 'kind', 'metadata');
const NO_TOKENS = 'no server issues tokens';
const WHERE_POLICIES_HOLD = 'with --network cluster and nft; else all connections are allowed, and an event says so';

/** Rules between the nodes of clients and endpoints. */
const OF_NODES = 'between the nodes of a run with --network cluster';

/** The rules of the kinds that podrun stores for Pods to refer to. */
export const RECORD_RULES: SupportTable = {
  ConfigMap: { ...OBJECT, ...works('data', 'binaryData', 'immutable') },
  Secret: {
    ...OBJECT,
    ...works('data', 'immutable'),
    stringData: { treatment: 'works', note: 'becomes data' },
    type: checked('a Secret must have the keys of its type'),
  },
  Service: { ...OBJECT, spec: FIELD_BY_FIELD, status: READ_ONLY },
  ServiceSpec: {
    ...works(
      'clusterIP',
      'clusterIPs',
      'externalName',
      'publishNotReadyAddresses',
      'selector',
      'sessionAffinity',
      'type',
    ),
    ...works('allocateLoadBalancerNodePorts', 'healthCheckNodePort', 'ipFamilies', 'ipFamilyPolicy'),
    ports: FIELD_BY_FIELD,
    sessionAffinityConfig: FIELD_BY_FIELD,
    externalTrafficPolicy: partly('at the addresses of several nodes: one node is this machine itself'),
    internalTrafficPolicy: partly(`${OF_NODES}: else Local leaves out endpoints that name no node`),
    trafficDistribution: partly(OF_NODES),
    externalIPs: noEffect('Services are served on loopback addresses'),
    loadBalancerClass: noEffect('this machine is the load balancer'),
    loadBalancerIP: noEffect('this machine is the load balancer'),
    loadBalancerSourceRanges: noEffect('Services are served on loopback addresses'),
  },
  ServicePort: works('name', 'protocol', 'appProtocol', 'port', 'targetPort', 'nodePort'),
  SessionAffinityConfig: { clientIP: FIELD_BY_FIELD },
  ClientIPConfig: works('timeoutSeconds'),
  'discovery.EndpointSlice': {
    ...OBJECT,
    addressType: partly('IPv4'),
    endpoints: FIELD_BY_FIELD,
    ports: FIELD_BY_FIELD,
  },
  'discovery.Endpoint': {
    ...works('addresses', 'hostname', 'targetRef'),
    conditions: FIELD_BY_FIELD,
    ...works('nodeName', 'zone'),
    hints: partly(OF_NODES),
    deprecatedTopology: checked('only shown'),
  },
  'discovery.EndpointHints': works('forZones', 'forNodes'),
  'discovery.ForZone': works('name'),
  'discovery.ForNode': works('name'),
  'discovery.EndpointConditions': works('ready', 'serving', 'terminating'),
  'discovery.EndpointPort': works('name', 'protocol', 'port', 'appProtocol'),
  Endpoints: { ...OBJECT, subsets: FIELD_BY_FIELD },
  EndpointSubset: { addresses: FIELD_BY_FIELD, notReadyAddresses: FIELD_BY_FIELD, ports: FIELD_BY_FIELD },
  EndpointAddress: { ...works('ip', 'hostname', 'targetRef'), nodeName: checked('there is one node') },
  EndpointPort: works('name', 'protocol', 'port', 'appProtocol'),
  PersistentVolumeClaim: { ...OBJECT, spec: partly('a folder of the host'), status: READ_ONLY },
  PersistentVolume: { ...OBJECT, spec: FIELD_BY_FIELD, status: READ_ONLY },
  ServiceAccount: {
    ...OBJECT,
    secrets: noEffect(NO_TOKENS),
    imagePullSecrets: partly('given to Pods that name no secrets of their own'),
    automountServiceAccountToken: partly('decides about the file namespace, and beside `podrun serve` about the token'),
  },
  LocalObjectReference: works('name'),
  Namespace: { ...OBJECT, spec: FIELD_BY_FIELD, status: READ_ONLY },
  NamespaceSpec: { finalizers: checked('a deletion waits for the finalizers of metadata') },
  'networking.Ingress': { ...OBJECT, spec: FIELD_BY_FIELD, status: READ_ONLY },
  'networking.IngressSpec': {
    ...works('defaultBackend', 'rules', 'tls'),
    ingressClassName: noEffect('podrun serves Ingresses of every class', is('podrun')),
  },
  'networking.IngressBackend': { service: FIELD_BY_FIELD, resource: noEffect('podrun serves Services only') },
  'networking.IngressServiceBackend': { ...works('name'), port: FIELD_BY_FIELD },
  'networking.ServiceBackendPort': works('name', 'number'),
  'networking.IngressTLS': works('hosts', 'secretName'),
  'networking.IngressRule': { ...works('host'), http: FIELD_BY_FIELD },
  'networking.HTTPIngressRuleValue': { paths: FIELD_BY_FIELD },
  'networking.HTTPIngressPath': {
    ...works('path'),
    pathType: { treatment: 'works', note: 'ImplementationSpecific is Prefix' },
    backend: FIELD_BY_FIELD,
  },
  'networking.IngressClass': { ...OBJECT, spec: checked('podrun serves Ingresses of every class') },
  'networking.NetworkPolicy': { ...OBJECT, spec: partly(WHERE_POLICIES_HOLD) },
  'networking.NetworkPolicySpec': works('podSelector', 'policyTypes', 'ingress', 'egress'),
  'networking.NetworkPolicyIngressRule': works('from', 'ports'),
  'networking.NetworkPolicyEgressRule': works('to', 'ports'),
  'networking.NetworkPolicyPeer': works('podSelector', 'namespaceSelector', 'ipBlock'),
  'networking.NetworkPolicyPort': works('protocol', 'port', 'endPort'),
  'networking.IPBlock': works('cidr', 'except'),
};
