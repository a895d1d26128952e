import type {
  ConfigMap,
  LimitRange,
  LimitRangeItem,
  PriorityClass,
  RbacClusterRoleBinding,
  RbacRoleBinding,
  ResourceQuota,
  RuntimeClass,
  Secret,
  StorageStorageClass,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero, omit } from './fill.ts';
import { canonicalResourceList } from './container.ts';

type Entries = Record<string, string | undefined>;

export function defaultConfigMap(config: Decoded<ConfigMap>): Decoded<ConfigMap> {
  return changeFields(config, { binaryData: canonicalBase64 });
}

/** Defaults of a Secret. `stringData` overwrites `data` and is not stored. Source: pkg/apis/core/v1/conversion.go. */
export function defaultSecret(secret: Decoded<Secret>): Decoded<Secret> {
  const { stringData } = secret;
  const stored = changeFields(fillZero(omit(secret, ['stringData']), { type: 'Opaque' }), { data: canonicalBase64 });
  if (stringData === undefined) return stored;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text ?? '').toString('base64')]);
  return { ...stored, data: { ...stored.data, ...(Object.fromEntries(encoded) as Entries) } };
}

/** Removes line breaks from base64. */
function canonicalBase64(data: Entries): Entries {
  const entries = Object.entries(data).map(([key, text]) => [
    key,
    Buffer.from(text ?? '', 'base64').toString('base64'),
  ]);
  return Object.fromEntries(entries) as Entries;
}

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

/** Defaults of a LimitRange: of its items for containers. Source: pkg/apis/core/v1/defaults.go. */
export function defaultLimitRange(range: Decoded<LimitRange>): Decoded<LimitRange> {
  return changeFields(range, {
    spec: (spec) => changeFields(spec, { limits: (items) => items.map(canonicalItem).map(defaultItem) }),
  });
}

function canonicalItem(item: Decoded<LimitRangeItem>): Decoded<LimitRangeItem> {
  return changeFields(item, {
    max: canonicalResourceList,
    min: canonicalResourceList,
    default: canonicalResourceList,
    defaultRequest: canonicalResourceList,
    maxLimitRequestRatio: canonicalResourceList,
  });
}

/** The limit is at most the maximum; the request is the limit, or else the minimum. */
function defaultItem(item: Decoded<LimitRangeItem>): Decoded<LimitRangeItem> {
  if (item.type !== 'Container') return item;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(requests).length === 0) return item;
  return { ...item, ...(Object.keys(limits).length > 0 ? { default: limits } : {}), defaultRequest: requests };
}

/** Writes the quantities of a ResourceQuota in canonical form. */
export function defaultResourceQuota(quota: Decoded<ResourceQuota>): Decoded<ResourceQuota> {
  return changeFields(quota, { spec: (spec) => changeFields(spec, { hard: canonicalResourceList }) });
}

/** Source: pkg/apis/scheduling/v1/defaults.go. */
export function defaultPriorityClass(priority: Decoded<PriorityClass>): Decoded<PriorityClass> {
  return fillAbsent(priority, { value: 0, preemptionPolicy: 'PreemptLowerPriority' });
}

/** Writes the quantities of a RuntimeClass in canonical form. */
export function defaultRuntimeClass(runtimeClass: Decoded<RuntimeClass>): Decoded<RuntimeClass> {
  return changeFields(runtimeClass, {
    overhead: (overhead) => changeFields(overhead, { podFixed: canonicalResourceList }),
  });
}
