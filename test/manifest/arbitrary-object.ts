import * as fc from 'fast-check';
import { fieldsOf, typeOfKind } from '../../src/api/base/field-types.ts';
import type { KubeObject } from '../../src/api/base/objects.ts';

/** Texts that have a meaning in some field, or resemble such texts. */
const TELLING_TEXTS = [
  ...`a web 8080 a.b A_B é ../etc /data ..data $(A) Always Never OnFailure None ClusterFirst Default Localhost Unmasked
    ClientIP ClusterIP ExternalName LoadBalancer NodePort Local Indexed RollingUpdate Recreate OnDelete In NotIn Exists
    DoesNotExist Gt TCP HTTP linux windows 10.0.0.1 010.0.0.1 ::1 10.0.0.0/8 @daily Europe/Berlin 0,2-3 25% limits.cpu
    metadata.labels['a'] metadata.name v1 cpu memory hugepages-2Mi hugepages-x example.com/dongle kubernetes.io/tls
    constructor toString __proto__ net.ipv4.ip_forward`.split(/\s+/),
  '',
  ' ',
  '*/5 * * * *',
  '@every 5m',
  '\u0000',
  'x'.repeat(300),
];
const QUANTITIES = ['0', '1', '-1', '100m', '0.0001', '1.5Gi', '3Mi', '1e3', '1024Mi', '8Ei', '1Ki'];

const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...TELLING_TEXTS) }, fc.string({ maxLength: 12 }));
const int32 = fc.oneof(fc.integer({ min: -2, max: 12 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 80, 512, 65_536));

const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: text,
  bool: fc.boolean(),
  int32,
  int64: fc.oneof(int32, fc.constantFrom(2 ** 31, 2 ** 33)),
  float64: fc.double({ noNaN: true }),
  quantity: fc.constantFrom(...QUANTITIES),
  intOrString: fc.oneof(int32, text),
  time: fc.constant('2026-11-20T20:01:02Z'),
  microTime: fc.constant('2026-11-20T20:01:02.000000Z'),
  bytes: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  object: fc.dictionary(text, text, { maxKeys: 2 }),
  any: text,
};

/** A few fields at a time, so that whole Pods stay small and every pair of fields occurs sometimes. */
const FIELDS_MAX = 7;
const DEPTH_MAX = 9;

function valueOf(type: string, depth: number): fc.Arbitrary<unknown> {
  if (type.startsWith('[]')) return fc.array(valueOf(type.slice(2), depth), { maxLength: 3 });
  if (type.startsWith('map:')) return fc.dictionary(text, valueOf(type.slice(4), depth), { maxKeys: 3 });
  return SCALARS[type] ?? recordOf(type, depth - 1);
}

function recordOf(type: string, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.entries(fieldsOf(type) ?? {});
  if (depth <= 0 || fields.length === 0) return fc.constant({});
  return fc
    .subarray(fields, { maxLength: Math.min(FIELDS_MAX, fields.length) })
    .chain((some) => fc.record(Object.fromEntries(some.map(([name, inner]) => [name, valueOf(inner, depth)]))));
}

/** Any object that the decoder may return for a kind: right types, any values, any fields missing. */
export function decodedObject(apiVersion: string, kind: string): fc.Arbitrary<KubeObject> {
  const type = typeOfKind(apiVersion, kind) ?? kind;
  const specType = fieldsOf(type)?.['spec'];
  const spec = specType === undefined ? fc.constant({}) : fc.record({ spec: recordOf(specType, DEPTH_MAX) });
  return fc
    .tuple(recordOf(type, DEPTH_MAX), spec, recordOf('meta.ObjectMeta', DEPTH_MAX))
    .map(([object, withSpec, metadata]) => ({ ...object, ...withSpec, metadata, apiVersion, kind }));
}
