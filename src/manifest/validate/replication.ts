import type { ControllerRevision, ReplicationController } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid, required } from '../base/field-error.ts';
import { notNegative } from './checks.ts';
import { selectorMatches } from './labels.ts';
import { validateLastingPods } from './workloads.ts';

/** Source: pkg/apis/core/validation/validation.go, ValidateReplicationController. */
export function validateReplicationController(controller: Decoded<ReplicationController>): FieldError[] {
  const { minReadySeconds, selector = {}, replicas, template } = controller.spec ?? {};
  const labels = template?.metadata?.labels;
  const isForeign = template !== undefined && !selectorMatches({ matchLabels: selector }, labels);
  const labelsPath = 'spec.template.metadata.labels';
  return [
    ...notNegative('spec.minReadySeconds', minReadySeconds),
    ...(Object.keys(selector).length > 0 ? [] : [required('spec.selector')]),
    ...notNegative('spec.replicas', replicas),
    ...(isForeign ? [invalid(labelsPath, labels, '`selector` does not match template `labels`')] : []),
    ...(template === undefined ? [required('spec.template')] : validateLastingPods(template, 'ReplicationController')),
  ];
}

/** Source: pkg/apis/apps/validation/validation.go, ValidateControllerRevisionCreate. */
export function validateControllerRevision({ data, revision }: Decoded<ControllerRevision>): FieldError[] {
  return [...(data === undefined ? [required('data', 'data is mandatory')] : []), ...notNegative('revision', revision)];
}
