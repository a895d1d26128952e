import { FieldSet } from './field-set.ts';
import { fieldElement } from './list-element.ts';

/** The fields that a write does not change, by subresource: paths with a space between them. */
type ResetFields = Readonly<Record<string, string>>;

const STATUS_ALONE: ResetFields = { '': 'status', status: 'metadata spec' };

/** The kinds with rules of their own. Source: GetResetFields of the strategies in pkg/registry. */
const OF_KINDS: Readonly<Record<string, ResetFields>> = {
  APIService: STATUS_ALONE,
  CertificateSigningRequest: {
    '': 'spec status',
    approval: 'spec status.certificate',
    status: 'spec status.conditions',
  },
  CustomResourceDefinition: STATUS_ALONE,
  Deployment: { '': 'status', status: 'spec metadata.labels' },
  FlowSchema: STATUS_ALONE,
  Pod: { '': 'status', status: 'spec metadata.deletionTimestamp metadata.ownerReferences' },
  PriorityLevelConfiguration: STATUS_ALONE,
  ResourceClaim: STATUS_ALONE,
  ServiceCIDR: STATUS_ALONE,
  ValidatingAdmissionPolicy: STATUS_ALONE,
  VolumeAttachment: STATUS_ALONE,
};

const WITH_STATUS: ResetFields = { '': 'status', status: 'spec' };

/**
 * The fields that a write of a subresource neither changes nor owns: `status` in a write of the object, `spec` in a
 * write of its status.
 * @param subresource empty: the object itself
 * @param hasStatus true for a kind with the subresource `status`
 */
export function resetFields(kind: string, subresource: string, hasStatus: boolean): readonly (readonly string[])[] {
  const rules = Object.hasOwn(OF_KINDS, kind) ? OF_KINDS[kind] : hasStatus ? WITH_STATUS : undefined;
  return (rules?.[subresource] ?? '').split(' ').flatMap((path) => (path === '' ? [] : [path.split('.')]));
}

/** The same as a set. */
export function resetFieldSet(kind: string, subresource: string, hasStatus: boolean): FieldSet {
  return FieldSet.ofPaths(resetFields(kind, subresource, hasStatus).map((path) => path.map(fieldElement)));
}
