import type { AdmissionRequest } from '../../../src/apiserver/admission/admission-request.ts';
import type { AdmissionRule } from '../../../src/apiserver/admission/match-rules.ts';

/** The creation of a Deployment, with changes. */
export function requestOf(change: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    operation: 'CREATE',
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    resource: 'deployments',
    subresource: '',
    name: 'web',
    namespace: 'default',
    user: { name: 'admin', groups: ['system:masters'] },
    isDryRun: false,
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { app: 'web' } },
      spec: { replicas: 3 },
    },
    oldObject: undefined,
    namespaceObject: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels: { env: 'dev' } } },
    options: {},
    permits: () => true,
    ...change,
  };
}

/** A rule for creations of Deployments. */
export const DEPLOYMENTS: Required<Pick<AdmissionRule, 'operations' | 'apiGroups' | 'apiVersions' | 'resources'>> = {
  operations: ['CREATE', 'UPDATE'],
  apiGroups: ['apps'],
  apiVersions: ['v1'],
  resources: ['deployments'],
};
