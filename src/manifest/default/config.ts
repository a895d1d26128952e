import type { ConfigMap, Secret } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero, omit } from './fill.ts';

type Entries = Record<string, string | undefined>;

/** Defaults of a ConfigMap. Source: pkg/apis/core/v1/defaults.go, SetDefaults_ConfigMap. */
export function defaultConfigMap(config: Decoded<ConfigMap>): Decoded<ConfigMap> {
  return changeFields(fillAbsent(config, { data: {} }), { binaryData: canonicalBase64 });
}

/** Defaults of a Secret. `stringData` overwrites `data` and is not stored. Source: pkg/apis/core/v1/conversion.go. */
export function defaultSecret(secret: Decoded<Secret>): Decoded<Secret> {
  const { stringData } = secret;
  const stored = changeFields(fillZero(omit(secret, ['stringData']), { type: 'Opaque' }), { data: canonicalBase64 });
  if (stringData === undefined) return stored;
  const encoded = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text ?? '').toString('base64')]);
  return { ...stored, data: { ...stored.data, ...(Object.fromEntries(encoded) as Entries) } };
}

/** Removes line breaks from base64. */
function canonicalBase64(data: Entries): Entries {
  const entries = Object.entries(data).map(([key, text]) => [
    key,
    Buffer.from(text ?? '', 'base64').toString('base64'),
  ]);
  return Object.fromEntries(entries) as Entries;
}
