import { type FlowcontrolFlowSchema, formatSeconds, type KubeObject, type StoredKubeObject } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';

/**
 * The Dangling condition of a FlowSchema as its controller applies it: whether its priority level exists. Undefined:
 * the FlowSchema has it. Source: apiserver/pkg/util/flowcontrol/apf_controller.go, syncSchemaStatus.
 */
export function danglingSchema(schema: StoredKubeObject, { objects, clock }: ServerContext): KubeObject | undefined {
  const { spec, status } = schema as FlowcontrolFlowSchema;
  const level = spec?.priorityLevelConfiguration.name ?? '';
  const subject = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
  const exists = objects.get('prioritylevelconfigurations', undefined, level) !== undefined;
  const wanted = exists
    ? { status: 'False', reason: 'Found', message: `${subject} and it exists` }
    : { status: 'True', reason: 'NotFound', message: `${subject} but there is no such object` };
  const before = status?.conditions?.find(({ type }) => type === 'Dangling');
  if (before?.status === wanted.status && before.reason === wanted.reason && before.message === wanted.message) {
    return undefined;
  }
  const { apiVersion, kind, metadata } = schema;
  const condition = { type: 'Dangling', ...wanted, lastTransitionTime: formatSeconds(clock.now().wallMs) };
  return { apiVersion, kind, metadata: { name: metadata.name }, status: { conditions: [condition] } };
}
