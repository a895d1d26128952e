import { checked, FIELD_BY_FIELD, noEffect, partly, READ_ONLY, type SupportTable, works } from './rule.ts';

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
  Service: {
    ...OBJECT,
    spec: noEffect('nothing routes to it; its EndpointSlices are made, and variables if it names its clusterIP'),
    status: READ_ONLY,
  },
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
};
