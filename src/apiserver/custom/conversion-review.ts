import { isJsonObject, type JsonObject, type KubeObject } from '../../api/index.ts';

/** A conversion that is asked for. */
export interface ConversionQuestion {
  readonly uid: string;
  /** The version of the ConversionReview: `v1`. */
  readonly reviewVersion: string;
  /** The version that all objects get: `example.com/v1`. */
  readonly apiVersion: string;
  /** In other versions. */
  readonly objects: readonly KubeObject[];
}

/** The request to a conversion webhook. Source: apiextensions/v1, ConversionReview. */
export function conversionReviewOf({ uid, reviewVersion, apiVersion, objects }: ConversionQuestion): object {
  return {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
    request: { uid, desiredAPIVersion: apiVersion, objects },
  };
}

/**
 * The objects in the answer of a conversion webhook, in the order of the question. All metadata but labels and
 * annotations stays. Source: apiextensions, pkg/apiserver/conversion/webhook_converter.go.
 * @throws {TypeError} when the answer is no such thing, with the message for the client
 */
export function convertedObjects(answer: unknown, question: ConversionQuestion): KubeObject[] {
  const { objects, apiVersion } = question;
  const converted = objectsIn(answer, question);
  if (converted.length !== objects.length)
    throw new TypeError(`returned ${converted.length} objects, expected ${objects.length}`);
  return objects.map((before, index) => checkedObject(before, converted[index], apiVersion));
}

function objectsIn(answer: unknown, { uid, reviewVersion }: ConversionQuestion): readonly unknown[] {
  const { kind, apiVersion, response } = isJsonObject(answer) ? answer : ({} as JsonObject);
  const wanted = `apiextensions.k8s.io/${reviewVersion}`;
  if (kind !== 'ConversionReview' || apiVersion !== wanted) {
    const got = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
    throw new TypeError(`failed: expected webhook response of ${wanted}, Kind=ConversionReview, got ${got}`);
  }
  if (!isJsonObject(response)) throw new TypeError('failed: no response provided');
  if (response['uid'] !== uid) {
    const got = JSON.stringify(response['uid'] ?? '');
    throw new TypeError(`failed: expected response.uid=${JSON.stringify(uid)}, got ${got}`);
  }
  const { result, convertedObjects: objects } = response;
  const { status, message } = isJsonObject(result) ? result : ({} as JsonObject);
  if (status !== 'Success') {
    const why = textOf(message) || `response.result.status was '${textOf(status)}', not 'Success'`;
    throw new TypeError(`failed: ${why}`);
  }
  return Array.isArray(objects) ? objects : [];
}

const NAMES = [
  ['kind', (object: KubeObject) => object.kind],
  ['name', ({ metadata }: KubeObject) => metadata.name],
  ['namespace', ({ metadata }: KubeObject) => metadata.namespace],
  ['UID', ({ metadata }: KubeObject) => metadata.uid],
] as const;

function checkedObject(before: KubeObject, after: unknown, apiVersion: string): KubeObject {
  if (!isJsonObject(after)) throw new TypeError('returned invalid object at index 0: it is no object');
  if (after['apiVersion'] !== apiVersion) {
    const versions = `(expected ${apiVersion}, received ${textOf(after['apiVersion'])})`;
    throw new TypeError(`returned invalid object at index 0: invalid groupVersion ${versions}`);
  }
  const { metadata } = after;
  if (!isJsonObject(metadata)) throw new TypeError('returned invalid metadata: missing metadata in converted object');
  const object = after as KubeObject;
  for (const [what, of] of NAMES) {
    const [wanted, got] = [textOf(of(before)), textOf(of(object))];
    if (wanted !== got) throw new TypeError(`returned invalid object: must have the same ${what}: ${wanted} != ${got}`);
  }
  const { labels: _, annotations: __, ...kept } = before.metadata;
  return { ...object, metadata: { ...kept, ...mapOf(metadata, 'labels'), ...mapOf(metadata, 'annotations') } };
}

function mapOf(metadata: JsonObject, name: 'labels' | 'annotations'): Partial<KubeObject['metadata']> {
  const map = metadata[name];
  if (map === undefined || map === null) return {};
  if (!isJsonObject(map) || Object.values(map).some((value) => typeof value !== 'string'))
    throw new TypeError(`returned invalid metadata: invalid metadata.${name} in converted object`);
  return { [name]: map as Record<string, string> };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
