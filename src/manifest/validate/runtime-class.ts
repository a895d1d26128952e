import { isSameJson, labelMessages, type RuntimeClass, type Toleration } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { duplicate, type FieldError } from '../base/field-error.ts';
import { requiredWellFormed } from './checks.ts';
import { validateLabels } from './labels.ts';
import { item } from '../base/path.ts';
import { validateOverhead } from './pod.ts';
import { validateTolerations } from './scheduling.ts';

/** Source: pkg/apis/node/validation/validation.go, ValidateRuntimeClass. */
export function validateRuntimeClass({ handler, overhead, scheduling }: Decoded<RuntimeClass>): FieldError[] {
  return [
    ...requiredWellFormed('handler', handler, labelMessages),
    ...(overhead === undefined ? [] : validateOverhead('overhead', overhead.podFixed ?? {})),
    ...validateLabels('scheduling.nodeSelector', scheduling?.nodeSelector),
    ...validateClassTolerations(scheduling?.tolerations ?? []),
  ];
}

/** Each toleration is well formed, and no toleration occurs twice. Source: validateTolerations of the same file. */
function validateClassTolerations(tolerations: readonly Decoded<Toleration>[]): FieldError[] {
  const path = 'scheduling.tolerations';
  const repeated = tolerations.flatMap((toleration, index) =>
    tolerations.slice(0, index).some((before) => isSameJson(before, toleration))
      ? [duplicate(item(path, index), toleration)]
      : [],
  );
  return [...validateTolerations(path, tolerations), ...repeated];
}
