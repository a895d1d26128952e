import {
  type Container,
  type EnvFromSource,
  type EnvVar,
  type ObjectFieldSelector,
  type ParsedQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  type ResourceFieldSelector,
  type StoredMeta,
} from '../../api/index.ts';
import { line } from './line.ts';

/**
 * The environment of a container: the sources in `envFrom`, if there are any, then `env`.
 * @param metadata of the Pod; undefined in a template, whose Pods have no names yet
 */
export function describeEnvironment(container: Container, metadata: StoredMeta | undefined): string[] {
  const { env = [], envFrom = [] } = container;
  return [
    ...(envFrom.length === 0 ? [] : [line(2, 'Environment Variables from:'), ...envFrom.map(describeSource)]),
    env.length === 0 ? line(2, 'Environment:', '<none>') : line(2, 'Environment:'),
    ...env.flatMap((variable) => describeVariable(variable, container, metadata)),
  ];
}

function describeSource({ prefix, configMapRef, secretRef }: EnvFromSource): string {
  const source = configMapRef ?? secretRef;
  const kind = configMapRef ? 'ConfigMap' : 'Secret';
  const from = prefix ? `${kind} with prefix '${prefix}'` : kind;
  return line(3, source?.name ?? '', from, `Optional: ${source?.optional === true}`);
}

function describeVariable(
  { name, value, valueFrom }: EnvVar,
  container: Container,
  metadata: StoredMeta | undefined,
): string[] {
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef, fileKeyRef } = valueFrom ?? {};
  const title = `${name}:`;
  if (fieldRef) return [line(3, title, describeField(fieldRef, metadata))];
  if (resourceFieldRef) return [line(3, title, describeResourceField(resourceFieldRef, container))];
  if (secretKeyRef) {
    const text = `<set to the key '${secretKeyRef.key}' in secret '${secretKeyRef.name ?? ''}'>`;
    return [line(3, title, text, `Optional: ${secretKeyRef.optional === true}`)];
  }
  if (configMapKeyRef) {
    const text = `<set to the key '${configMapKeyRef.key}' of config map '${configMapKeyRef.name ?? ''}'>`;
    return [line(3, title, text, `Optional: ${configMapKeyRef.optional === true}`)];
  }
  if (fileKeyRef) {
    const { key, path, volumeName } = fileKeyRef;
    const text = `<set to the key '${key}' of file '${path}' in volume '${volumeName}'>`;
    return [line(3, title, text, `Optional: ${fileKeyRef.optional === true}`)];
  }
  const [first = '', ...others] = (value ?? '').split('\n');
  return [line(3, title, first), ...others.map((text) => line(3, '', text))];
}

/** The value of a field reference: kubectl resolves only name and namespace, which need no node. */
function describeField({ apiVersion = '', fieldPath }: ObjectFieldSelector, metadata: StoredMeta | undefined): string {
  const known: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata?.name,
    'metadata.namespace': metadata?.namespace,
  };
  return `${known[fieldPath] ?? ''} (${apiVersion}:${fieldPath})`;
}

function describeResourceField({ resource, divisor }: ResourceFieldSelector, container: Container): string {
  const value = resourceValue(resource, divisor, container);
  const allocatable = value === '0' && (resource === 'limits.cpu' || resource === 'limits.memory');
  return `${allocatable ? 'node allocatable' : value} (${resource})`;
}

/** The amount in units of the divisor, rounded up. CPU counts in thousandths. Empty for an unknown resource. */
function resourceValue(resource: string, divisor: string | undefined, container: Container): string {
  const [, list, name] = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.+)$/.exec(resource) ?? [];
  if (list === undefined || name === undefined) return '';
  const amounts = list === 'limits' ? container.resources?.limits : container.resources?.requests;
  const measure: (quantity: ParsedQuantity) => bigint = name === 'cpu' ? quantityMilliValue : quantityValue;
  const unit = measure(parseQuantity(divisor || '1')) || measure(parseQuantity('1'));
  return String((measure(parseQuantity(amounts?.[name] ?? '0')) + unit - 1n) / unit);
}
