import { CONTAINER_RULES } from './container-rules.ts';
import { POD_RULES } from './pod-rules.ts';
import { RECORD_RULES } from './record-rules.ts';
import type { SupportTable } from './rule.ts';
import { SECURITY_RULES } from './security-rules.ts';
import { VOLUME_RULES } from './volume-rules.ts';

/**
 * How podrun treats every field of the kinds it runs or keeps. The only place that knows: events, errors, warnings,
 * `podrun explain --support` and docs/support.md come from here. Rows change when podrun learns what they are about.
 */
export const SUPPORT_TABLE: SupportTable = {
  ...POD_RULES,
  ...CONTAINER_RULES,
  ...SECURITY_RULES,
  ...VOLUME_RULES,
  ...RECORD_RULES,
};

/** The kinds of the table, in the order of `podrun explain --support`. */
export const SUPPORTED_KINDS: readonly string[] = [
  'Pod',
  'ConfigMap',
  'Secret',
  'PersistentVolumeClaim',
  'Service',
  'ServiceAccount',
  'Namespace',
];
