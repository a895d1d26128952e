import {
  type AutoscalingV2MetricIdentifier,
  type AutoscalingV2MetricSpec,
  errorMessage,
  isJsonObject,
  parseJson,
  parseQuantity,
  parseTime,
  quantityMilliValue,
  selectorText,
  type StoredAutoscaler,
} from '../../api/index.ts';
import { type MetricAnswer, NO_OTHER_METRICS, type OtherMetrics, type PodValue } from '../../controllers/index.ts';
import { quietly } from '../../quietly.ts';
import type { ReadOtherMetrics } from '../base/autoscaler-api.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiUser } from '../base/request.ts';
import type { AggregatedVersion } from '../resources/aggregated-table.ts';
import { askBackend } from './backend.ts';

/** Asks an API server for a path. */
type AskAdapter = (
  version: AggregatedVersion,
  path: string,
) => Promise<{ readonly code: number; readonly body: Buffer }>;

const CUSTOM = { group: 'custom.metrics.k8s.io', versions: ['v1beta2', 'v1beta1'] };
const EXTERNAL = { group: 'external.metrics.k8s.io', versions: ['v1beta1'] };

/** The user as whom the controller asks in a cluster. */
const CONTROLLER: ApiUser = {
  name: 'system:serviceaccount:kube-system:horizontal-pod-autoscaler',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
};

type Adapters = Pick<ServerContext, 'aggregated' | 'resources'>;

/** @param ask default: by the Service of the adapter */
export function otherMetricsOf(
  context: ServerContext,
  ask: AskAdapter = ({ backend }, path) => askBackend(backend, { path, user: CONTROLLER }, context),
): ReadOtherMetrics {
  return (object, selector) => readOtherMetrics(object, selector, context, ask);
}

/**
 * Asks adapters for all metrics of an autoscaler. Without an adapter for a group, its metrics have the errors of a
 * cluster. Source: staging/src/k8s.io/metrics/pkg/client/custom_metrics, external_metrics.
 */
async function readOtherMetrics(
  object: StoredAutoscaler,
  selector: string,
  adapters: Adapters,
  ask: AskAdapter,
): Promise<OtherMetrics> {
  const questions = (object.spec.metrics ?? []).flatMap(
    (metric) => questionOf(metric, object, selector, adapters) ?? [],
  );
  const read = async ({ key, version, path }: Question): Promise<[string, MetricAnswer<readonly Item[]>]> => [
    key,
    await itemsOf(ask, version, path),
  ];
  const answers = new Map(await Promise.all(questions.map(read)));
  const known = <T>(
    key: string,
    of: (items: readonly Item[]) => MetricAnswer<T>,
    otherwise: MetricAnswer<T>,
  ): MetricAnswer<T> => {
    const answer = answers.get(key);
    if (answer === undefined) return otherwise;
    return 'error' in answer ? answer : of(answer.value);
  };
  return {
    ofPods: (metric) => known(keyOf('pods', metric), valuesOf, NO_OTHER_METRICS.ofPods(metric)),
    ofObject: (metric, target) =>
      known(keyOf(`${target.kind}/${target.name}`, metric), onlyValue, NO_OTHER_METRICS.ofObject(metric, target)),
    external: (metric) => known(keyOf('external', metric), allValues, NO_OTHER_METRICS.external(metric)),
  };
}

interface Question {
  readonly key: string;
  readonly version: AggregatedVersion;
  /** The path with its query, behind the version. */
  readonly path: string;
}

function questionOf(
  { pods, object, external }: AutoscalingV2MetricSpec,
  { metadata: { namespace } }: StoredAutoscaler,
  selector: string,
  adapters: Adapters,
): Question | undefined {
  const version = versionOf(adapters, external === undefined ? CUSTOM : EXTERNAL);
  if (version === undefined) return undefined;
  if (pods !== undefined) {
    const query = queryOf({ labelSelector: selector, metricLabelSelector: labelsOf(pods.metric) });
    const path = `/namespaces/${namespace}/pods/*/${pods.metric.name}${query}`;
    return { key: keyOf('pods', pods.metric), version, path };
  }
  if (object !== undefined) {
    const { kind, name, apiVersion = '' } = object.describedObject;
    const isNamespace = kind === 'Namespace';
    const place = isNamespace ? `${name}/metrics` : `${namespace}/${resourceOf(adapters, apiVersion, kind)}/${name}`;
    const query = queryOf({ metricLabelSelector: labelsOf(object.metric) });
    const path = `/namespaces/${place}/${object.metric.name}${query}`;
    return { key: keyOf(`${kind}/${name}`, object.metric), version, path };
  }
  if (external === undefined) return undefined;
  const query = queryOf({ labelSelector: labelsOf(external.metric) });
  return {
    key: keyOf('external', external.metric),
    version,
    path: `/namespaces/${namespace}/${external.metric.name}${query}`,
  };
}

function versionOf({ aggregated }: Adapters, { group, versions }: typeof CUSTOM): AggregatedVersion | undefined {
  return versions.map((version) => aggregated.find(group, version)).find((version) => version !== undefined);
}

const keyOf = (about: string, { name, selector }: AutoscalingV2MetricIdentifier): string =>
  `${about} ${name} ${JSON.stringify(selector ?? null)}`;

const labelsOf = ({ selector }: AutoscalingV2MetricIdentifier): string =>
  selector === undefined ? '' : selectorText(selector);

function queryOf(parameters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();
  return query === '' ? '' : `?${query}`;
}

/** `ingresses.networking.k8s.io` */
function resourceOf({ resources }: Adapters, apiVersion: string, kind: string): string {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const plural = resources.all.find((each) => each.kind === kind && each.group === group)?.plural;
  return (plural ?? `${kind.toLowerCase()}s`) + (group === '' ? '' : `.${group}`);
}

/** An item of a MetricValueList or an ExternalMetricValueList. */
interface Item {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly windowSeconds?: number;
  readonly window?: number;
  readonly value?: string;
}

async function itemsOf(
  ask: AskAdapter,
  version: AggregatedVersion,
  path: string,
): Promise<MetricAnswer<readonly Item[]>> {
  try {
    const { code, body } = await ask(version, `/apis/${version.group}/${version.version}${path}`);
    const answer = quietly(() => parseJson(body));
    const object = isJsonObject(answer) ? answer : {};
    if (code === 200) return { value: Array.isArray(object['items']) ? (object['items'] as Item[]) : [] };
    const { message } = object;
    return { error: typeof message === 'string' ? message : `the server responded with the status code ${code}` };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** The window of a value that names none. Source: metrics/client.go metricServerDefaultMetricWindow. */
const WINDOW_SECONDS = 60;

function valuesOf(items: readonly Item[]): MetricAnswer<readonly PodValue[]> {
  return {
    value: items.map(({ describedObject, timestamp = '', windowSeconds, window, value }) => ({
      pod: describedObject?.name ?? '',
      atMs: parseTime(timestamp),
      windowMs: (windowSeconds ?? window ?? WINDOW_SECONDS) * 1000,
      value: milli(value),
    })),
  };
}

function onlyValue(items: readonly Item[]): MetricAnswer<bigint> {
  const [only] = items;
  if (only !== undefined && items.length === 1) return { value: milli(only.value) };
  return { error: `the custom metrics API server returned ${items.length} results when we asked for exactly one` };
}

function allValues(items: readonly Item[]): MetricAnswer<readonly bigint[]> {
  return { value: items.map(({ value }) => milli(value)) };
}

/** An adapter may have sent anything. */
const milli = (text: unknown): bigint => quietly(() => quantityMilliValue(parseQuantity(String(text)))) ?? 0n;
