import { configKeyMessages, type ConfigMap, jsonObjectProblem, type Secret } from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';
import { entry, type FieldError, invalid, required, tooLong } from '../base/field-error.ts';

type Entries = Readonly<Record<string, string | undefined>> | undefined;

const MAX_BYTES = 1024 * 1024;
/** The path of the whole object in messages. */
const WHOLE_OBJECT = '[]';
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name';
const REDACTED = '<secret contents redacted>';

/** Source: pkg/apis/core/validation/validation.go, ValidateConfigMap. */
export function validateConfigMap(config: Decoded<ConfigMap>): FieldError[] {
  const text = entriesByKey(config.data);
  const binary = entriesByKey(config.binaryData);
  const binaryKeys = new Set(binary.map(([key]) => key));
  const errors = [...wrongKeys('data', text, binaryKeys), ...wrongKeys('binaryData', binary)];
  const textBytes = text.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  return textBytes + decodedBytes(config.binaryData) > MAX_BYTES
    ? [...errors, tooLong(WHOLE_OBJECT, MAX_BYTES)]
    : errors;
}

/** @param others the keys that must not be among these */
function wrongKeys(field: string, entries: readonly [string, string][], others?: ReadonlySet<string>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key] of entries) {
    // Most of ten thousand keys are right, and need no path.
    for (const message of configKeyMessages(key)) errors.push(invalid(entry(field, key), key, message));
    if (others?.has(key) === true)
      errors.push(invalid(entry(field, key), key, 'duplicate of key present in binaryData'));
  }
  return errors;
}

/** Source: ValidateSecret. */
export function validateSecret(secret: Decoded<Secret>): FieldError[] {
  const errors = wrongKeys('data', entriesByKey(secret.data));
  if (decodedBytes(secret.data) > MAX_BYTES) errors.push(tooLong('data', MAX_BYTES));
  return [...errors, ...validateSecretType(secret)];
}

/** The number of bytes that base64 texts decode to. */
function decodedBytes(data: Entries): number {
  return entriesByKey(data).reduce((sum, [, text]) => sum + Buffer.byteLength(text, 'base64'), 0);
}

/** Requires the keys that belong to the type of a Secret. */
function validateSecretType(secret: Decoded<Secret>): FieldError[] {
  const { type, data = {} } = secret;
  const needs = (keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required(entry('data', key)));
  switch (type) {
    case 'kubernetes.io/service-account-token': {
      const isNamed = Boolean(secret.metadata?.annotations?.[ACCOUNT_ANNOTATION]);
      return isNamed ? [] : [required(entry('metadata.annotations', ACCOUNT_ANNOTATION))];
    }
    case 'kubernetes.io/dockercfg':
      return validateDockerConfig('.dockercfg', data);
    case 'kubernetes.io/dockerconfigjson':
      return validateDockerConfig('.dockerconfigjson', data);
    case 'kubernetes.io/basic-auth':
      // One of the two keys is enough.
      return data['username'] === undefined && data['password'] === undefined ? needs(['username', 'password']) : [];
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required(entry('data', 'ssh-privatekey'))];
    case 'kubernetes.io/tls':
      return needs(['tls.crt', 'tls.key']);
    case undefined:
    default:
      return [];
  }
}

function validateDockerConfig(key: string, data: Readonly<Record<string, string | undefined>>): FieldError[] {
  const encoded = data[key];
  if (encoded === undefined) return [required(entry('data', key))];
  const problem = jsonObjectProblem(Buffer.from(encoded, 'base64').toString('latin1'));
  return problem === undefined ? [] : [invalid(entry('data', key), REDACTED, problem)];
}
