import type { RbacClusterRoleBinding, RbacRoleBinding, StorageStorageClass } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';

const GROUP = 'rbac.authorization.k8s.io';

/** Source: pkg/apis/rbac/v1/defaults.go. */
export function defaultRoleBinding(binding: Decoded<RbacRoleBinding> | Decoded<RbacClusterRoleBinding>): unknown {
  const { roleRef = {}, subjects, ...rest } = binding;
  const { apiGroup, ...role } = roleRef;
  return {
    ...rest,
    roleRef: { apiGroup: apiGroup || GROUP, ...role },
    ...(subjects !== undefined && {
      subjects: subjects.map((subject) => {
        const isAccount = subject.kind === 'ServiceAccount' || Boolean(subject.apiGroup);
        return isAccount ? subject : { ...subject, apiGroup: GROUP };
      }),
    }),
  };
}

/** Source: pkg/apis/storage/v1/defaults.go. */
export function defaultStorageClass(storage: Decoded<StorageStorageClass>): unknown {
  const { reclaimPolicy, volumeBindingMode } = storage;
  return {
    ...storage,
    reclaimPolicy: reclaimPolicy ?? 'Delete',
    volumeBindingMode: volumeBindingMode ?? 'Immediate',
  };
}
