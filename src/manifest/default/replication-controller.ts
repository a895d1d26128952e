import type { ReplicationController } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { withLabelsOf } from './batch.ts';
import { fillAbsent } from './fill.ts';
import { defaultTemplate } from './pod.ts';

/**
 * Defaults of a ReplicationController: selector and labels default to the labels of its Pods. Source:
 * pkg/apis/core/v1/defaults.go, SetDefaults_ReplicationController.
 */
export function defaultReplicationController(
  controller: Decoded<ReplicationController>,
): Decoded<ReplicationController> {
  const spec = fillAbsent(controller.spec ?? {}, { replicas: 1 });
  const labels = spec.template?.metadata?.labels;
  const hasSelector = Object.keys(spec.selector ?? {}).length > 0;
  const selected = hasSelector || labels === undefined ? spec : { ...spec, selector: labels };
  const filled = spec.template === undefined ? selected : { ...selected, template: defaultTemplate(spec.template) };
  return { ...controller, metadata: withLabelsOf(controller.metadata, labels), spec: filled };
}
