import {
  type AutoscalingV2HPAScalingRules,
  type AutoscalingV2MetricSpec,
  type AutoscalingV2MetricStatus,
  type AutoscalingV2MetricTarget,
  type AutoscalingV2MetricValueStatus,
  canonicalQuantity,
  goQuote,
  type StoredAutoscaler,
} from '../../../api/index.ts';
import { describeIdentity, line } from '../lines.ts';

/** The lines of `describe` about a HorizontalPodAutoscaler. Source: describe.go describeHorizontalPodAutoscalerV2. */
export function describeAutoscaler(object: StoredAutoscaler): string[] {
  const { metadata, spec, status } = object;
  const { scaleTargetRef, minReplicas, maxReplicas, metrics = [], behavior } = spec;
  const conditions = status?.conditions ?? [];
  return [
    ...describeIdentity(object),
    line(0, 'CreationTimestamp:', createdText(metadata.creationTimestamp)),
    line(0, 'Reference:', `${scaleTargetRef.kind}/${scaleTargetRef.name}`),
    line(0, 'Metrics:', '( current / target )'),
    ...metrics.map((metric, index) => metricLine(metric, status?.currentMetrics?.[index])),
    line(0, 'Min replicas:', String(minReplicas ?? '<unset>')),
    line(0, 'Max replicas:', String(maxReplicas)),
    ...(behavior === undefined
      ? []
      : [
          line(0, 'Behavior:'),
          ...directionLines('Scale Up', behavior.scaleUp),
          ...directionLines('Scale Down', behavior.scaleDown),
        ]),
    line(
      0,
      `${scaleTargetRef.kind} pods:`,
      `${status?.currentReplicas ?? 0} current / ${status?.desiredReplicas ?? 0} desired`,
    ),
    ...(conditions.length === 0
      ? []
      : [
          line(0, 'Conditions:'),
          line(1, 'Type', 'Status', 'Reason', 'Message'),
          line(1, '----', '------', '------', '-------'),
          ...conditions.map(({ type, status: state, reason = '', message = '' }) =>
            line(1, type, state, reason, message),
          ),
        ]),
  ];
}

const UNKNOWN = '<unknown>';

function metricLine(
  { resource, containerResource, pods, object, external }: AutoscalingV2MetricSpec,
  state: AutoscalingV2MetricStatus | undefined,
): string {
  if (resource !== undefined)
    return resourceLine(`resource ${resource.name} on pods`, resource.target, state?.resource?.current);
  if (containerResource !== undefined) {
    const { name, container, target } = containerResource;
    const subject = `resource ${name} of container ${goQuote(container)} on pods`;
    return resourceLine(subject, target, state?.containerResource?.current);
  }
  if (pods !== undefined) {
    const amounts = amountsOf('averageValue', pods.target, state?.pods?.current);
    return line(1, `${goQuote(pods.metric.name)} on pods:`, amounts);
  }
  const { metric, target, on, current } =
    object === undefined
      ? { ...external, on: '', current: state?.external?.current }
      : {
          ...object,
          on: ` on ${object.describedObject.kind}/${object.describedObject.name}`,
          current: state?.object?.current,
        };
  const isAverage = target?.averageValue !== undefined;
  const amounts = amountsOf(isAverage ? 'averageValue' : 'value', target, current);
  return line(1, `${goQuote(metric?.name ?? '')}${on} (target ${isAverage ? 'average ' : ''}value):`, amounts);
}

function amountsOf(
  field: 'averageValue' | 'value',
  target: AutoscalingV2MetricTarget | undefined,
  current: AutoscalingV2MetricValueStatus | undefined,
): string {
  const text = (quantity: string | undefined): string =>
    quantity === undefined ? UNKNOWN : canonicalQuantity(quantity);
  return `${text(current?.[field])} / ${text(target?.[field])}`;
}

function resourceLine(
  subject: string,
  target: AutoscalingV2MetricTarget,
  current: AutoscalingV2MetricValueStatus | undefined,
): string {
  if (target.averageValue !== undefined) return line(1, `${subject}:`, amountsOf('averageValue', target, current));
  const percent = target.averageUtilization;
  const now = current?.averageUtilization;
  const used = now === undefined ? UNKNOWN : `${now}% (${current?.averageValue ?? '<nil>'})`;
  // kubectl indents both halves of this line.
  return line(
    1,
    `${subject}  (as a percentage of request):`,
    `${used} / ${percent === undefined ? '<auto>' : `${percent}%`}`,
  );
}

function directionLines(name: string, rules: AutoscalingV2HPAScalingRules | undefined): string[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy = 'Max', policies = [] } = rules;
  return [
    line(1, `${name}:`),
    ...(seconds === undefined ? [] : [line(2, `Stabilization Window: ${seconds} seconds`)]),
    ...(policies.length === 0
      ? []
      : [
          line(2, `Select Policy: ${selectPolicy}`),
          line(2, 'Policies:'),
          ...policies.map(({ type, value, periodSeconds }) =>
            line(3, `- Type: ${type}`, `Value: ${value}`, `Period: ${periodSeconds} seconds`),
          ),
        ]),
  ];
}

/** A time in RFC 1123 with a numeric zone, as kubectl writes it here. */
function createdText(time: string): string {
  return `${new Date(time).toUTCString().replace(/GMT$/, '')}+0000`;
}
