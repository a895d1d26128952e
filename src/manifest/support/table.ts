import { CONTAINER_RULES, SECURITY_RULES } from './container-rules.ts';
import { POD_RULES } from './pod-rules.ts';
import { RECORD_RULES } from './record-rules.ts';
import type { SupportTable } from './rule.ts';
import { VOLUME_RULES } from './volume-rules.ts';
import { WORKLOAD_RULES } from './workload-rules.ts';

/**
 * The treatment of every field of the kinds that podrun runs or stores. Events, errors, warnings, `podrun explain
 * --support` and docs/support.md all come from this table. A feature that makes a field work changes its row.
 */
export const SUPPORT_TABLE: SupportTable = {
  ...POD_RULES,
  ...CONTAINER_RULES,
  ...SECURITY_RULES,
  ...VOLUME_RULES,
  ...RECORD_RULES,
  ...WORKLOAD_RULES,
};

/** The kinds of the table, in the order of `podrun explain --support`. */
export const SUPPORTED_KINDS: readonly string[] = [
  'Pod',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'Service',
  'EndpointSlice',
  'Endpoints',
  'ServiceAccount',
  'Namespace',
  'Job',
  'CronJob',
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
  'DaemonSet',
  'PodTemplate',
  'ControllerRevision',
  'PodDisruptionBudget',
  'PriorityClass',
  'RuntimeClass',
  'LimitRange',
  'ResourceQuota',
  'Ingress',
  'IngressClass',
  'NetworkPolicy',
];
