import { checked, FIELD_BY_FIELD, is, noEffect, partly, READ_ONLY, type SupportTable, works } from './rule.ts';

const OBJECT = works('apiVersion', 'kind', 'metadata');
const NO_TOKENS = 'no server issues tokens';

/** The rules of the kinds that podrun stores for Pods to refer to. */
export const RECORD_RULES: SupportTable = {
  ConfigMap: { ...OBJECT, ...works('data', 'binaryData', 'immutable') },
  Secret: {
    ...OBJECT,
    ...works('data', 'immutable'),
    stringData: { treatment: 'works', note: 'becomes data' },
    type: checked('the keys that it asks for must be there'),
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
    ...works('allocateLoadBalancerNodePorts', 'ipFamilies', 'ipFamilyPolicy'),
    ports: FIELD_BY_FIELD,
    sessionAffinityConfig: FIELD_BY_FIELD,
    externalTrafficPolicy: checked('there is one node'),
    internalTrafficPolicy: checked('there is one node'),
    trafficDistribution: checked('there is one node'),
    externalIPs: noEffect('Services are served on loopback addresses'),
    healthCheckNodePort: noEffect('there is one node'),
    loadBalancerClass: noEffect('this machine is the load balancer'),
    loadBalancerIP: noEffect('this machine is the load balancer'),
    loadBalancerSourceRanges: noEffect('Services are served on loopback addresses'),
  },
  ServicePort: works('name', 'protocol', 'appProtocol', 'port', 'targetPort', 'nodePort'),
  SessionAffinityConfig: { clientIP: FIELD_BY_FIELD },
  ClientIPConfig: works('timeoutSeconds'),
  PersistentVolumeClaim: { ...OBJECT, spec: partly('a folder of the host'), status: READ_ONLY },
  PersistentVolume: { ...OBJECT, spec: FIELD_BY_FIELD, status: READ_ONLY },
  ServiceAccount: {
    ...OBJECT,
    secrets: noEffect(NO_TOKENS),
    imagePullSecrets: partly('Pods that name none get them'),
    automountServiceAccountToken: partly('decides about the file namespace; no server issues tokens'),
  },
  LocalObjectReference: works('name'),
  Namespace: { ...OBJECT, spec: FIELD_BY_FIELD, status: READ_ONLY },
  NamespaceSpec: { finalizers: checked('a deletion waits for those of metadata') },
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
  'networking.NetworkPolicy': { ...OBJECT, spec: noEffect('podrun restricts no traffic') },
};
