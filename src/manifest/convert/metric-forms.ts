import { isJsonObject, type JsonObject } from '../../api/index.ts';

/*
 * The metrics of an autoscaler in v1, where an annotation has them, and in v2. Source: staging/src/k8s.io/api/
 * autoscaling/v1/types.go, pkg/apis/autoscaling/v1/conversion.go.
 */

/** A field in v1, its path in v2, and the value that v1 has without it. */
type FieldForm = readonly [old: string, path: string, otherwise?: string];

/** The fields of a kind of metric, in the order of v1. */
type Forms = Readonly<Record<string, readonly FieldForm[]>>;

const IN_SPEC: Forms = {
  object: [
    ['target', 'describedObject'],
    ['metricName', 'metric.name', ''],
    ['targetValue', 'target.value', '0'],
    ['selector', 'metric.selector'],
    ['averageValue', 'target.averageValue'],
  ],
  pods: [
    ['metricName', 'metric.name', ''],
    ['targetAverageValue', 'target.averageValue', '0'],
    ['selector', 'metric.selector'],
  ],
  resource: [
    ['name', 'name', ''],
    ['targetAverageUtilization', 'target.averageUtilization'],
    ['targetAverageValue', 'target.averageValue'],
  ],
  containerResource: [
    ['name', 'name', ''],
    ['targetAverageUtilization', 'target.averageUtilization'],
    ['targetAverageValue', 'target.averageValue'],
    ['container', 'container', ''],
  ],
  external: [
    ['metricName', 'metric.name', ''],
    ['metricSelector', 'metric.selector'],
    ['targetValue', 'target.value'],
    ['targetAverageValue', 'target.averageValue'],
  ],
};

const IN_STATUS: Forms = {
  object: [
    ['target', 'describedObject'],
    ['metricName', 'metric.name', ''],
    ['currentValue', 'current.value', '0'],
    ['selector', 'metric.selector'],
    ['averageValue', 'current.averageValue'],
  ],
  pods: [
    ['metricName', 'metric.name', ''],
    ['currentAverageValue', 'current.averageValue', '0'],
    ['selector', 'metric.selector'],
  ],
  resource: [
    ['name', 'name', ''],
    ['currentAverageUtilization', 'current.averageUtilization'],
    ['currentAverageValue', 'current.averageValue', '0'],
  ],
  containerResource: [
    ['name', 'name', ''],
    ['currentAverageUtilization', 'current.averageUtilization'],
    ['currentAverageValue', 'current.averageValue', '0'],
    ['container', 'container', ''],
  ],
  external: [
    ['metricName', 'metric.name', ''],
    ['metricSelector', 'metric.selector'],
    ['currentValue', 'current.value', '0'],
    ['currentAverageValue', 'current.averageValue'],
  ],
};

/** The part of an autoscaler that a metric belongs to. */
type MetricsPart = 'spec' | 'status';

const formsOf = (part: MetricsPart): Forms => (part === 'spec' ? IN_SPEC : IN_STATUS);

/** A metric of v2 in the form of v1. */
export function metricInOld(metric: unknown, part: MetricsPart): JsonObject {
  const given = isJsonObject(metric) ? metric : {};
  const old: Record<string, unknown> = { type: given['type'] ?? '' };
  for (const [kind, fields] of Object.entries(formsOf(part))) {
    const source = given[kind];
    if (!isJsonObject(source)) continue;
    const written = fields.flatMap(([name, path, otherwise]) => {
      const value = valueAt(source, path) ?? otherwise;
      return value === undefined ? [] : [[name, value] as const];
    });
    old[kind] = Object.fromEntries(written);
  }
  return old;
}

/** A metric of v1 in the form of v2. */
export function metricInNew(old: JsonObject, part: MetricsPart): JsonObject {
  const metric: Record<string, unknown> = { type: old['type'] ?? '' };
  for (const [kind, fields] of Object.entries(formsOf(part))) {
    const source = old[kind];
    if (!isJsonObject(source)) continue;
    const made: Record<string, unknown> = {};
    for (const [name, path, otherwise] of fields) {
      const value = source[name] ?? otherwise;
      if (value !== undefined && !isNoValue(name, value, source)) putAt(made, path, value);
    }
    metric[kind] = part === 'spec' ? withTargetType(made, kind) : made;
  }
  return metric;
}

/** The value of an object's metric that only has an average: v1 cannot leave it out. */
function isNoValue(name: string, value: unknown, source: JsonObject): boolean {
  return name === 'targetValue' && value === '0' && source['averageValue'] !== undefined;
}

function withTargetType(source: JsonObject, kind: string): JsonObject {
  const target = isJsonObject(source['target']) ? source['target'] : {};
  const { value, averageUtilization, averageValue } = target;
  const isAverage = kind === 'pods' || (kind === 'object' ? averageValue !== undefined : value === undefined);
  const type = averageUtilization === undefined ? (isAverage ? 'AverageValue' : 'Value') : 'Utilization';
  return { ...source, target: { type, ...target } };
}

function valueAt(source: JsonObject, path: string): unknown {
  let value: unknown = source;
  for (const name of path.split('.')) value = isJsonObject(value) ? value[name] : undefined;
  return value;
}

function putAt(source: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', second] = path.split('.');
  if (second === undefined) source[first] = value;
  else source[first] = { ...(isJsonObject(source[first]) ? source[first] : {}), [second]: value };
}
