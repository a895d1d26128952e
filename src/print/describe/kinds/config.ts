import type { ConfigMap, Secret } from '../../../api/generated/types.ts';
import type { StoredKubeObject } from '../../../api/objects.ts';
import { sortedEntries } from '../../text/labels.ts';
import { line } from '../line.ts';
import { describeIdentity } from '../metadata.ts';

/** The lines of `describe` about a ConfigMap, without its events. */
export function describeConfigMap(map: StoredKubeObject & ConfigMap): string[] {
  return [
    ...describeIdentity(map),
    '',
    'Data',
    '====',
    ...sortedEntries(map.data).flatMap(([key, value]) => [`${key}:`, '----', value, '']),
    '',
    'BinaryData',
    '====',
    ...sortedEntries(map.binaryData).map(([key, value]) => `${key}: ${bytesOf(value)} bytes`),
    '',
  ];
}

/** The lines of `describe` about a Secret, without its values. Tokens, which kubectl shows, are hidden too. */
export function describeSecret(secret: StoredKubeObject & Secret): string[] {
  return [
    ...describeIdentity(secret),
    '',
    line(0, 'Type:', secret.type ?? 'Opaque'),
    '',
    'Data',
    '====',
    ...sortedEntries(secret.data).map(([key, value]) => line(0, `${key}:`, `${bytesOf(value)} bytes`)),
  ];
}

/** The length of a base64 text after decoding. */
function bytesOf(base64: string): number {
  return Math.floor((base64.replace(/[=\s]/g, '').length * 3) / 4);
}
