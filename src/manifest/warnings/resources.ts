import { formatQuantity, goQuote, ownValue, parseQuantity } from '../../api/index.ts';

type ResourceList = Readonly<Record<string, string | undefined>>;

const UNIT_NANO = 1_000_000_000n;

/** Resources of a container that are measured in bytes. */
export const BYTE_RESOURCES: readonly string[] = ['memory', 'ephemeral-storage'];

/** Warns of fractional bytes: `100m` of memory is meant as `100M`. */
export function fractionalByteWarnings(
  path: string,
  list: ResourceList | undefined,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => {
    const text = ownValue(list, name);
    if (text === undefined) return [];
    const quantity = parseQuantity(text);
    if (quantity.nano % UNIT_NANO === 0n) return [];
    const quoted = goQuote(formatQuantity(quantity));
    return [`${path}[${name}]: fractional byte value ${quoted} is invalid, must be an integer`];
  });
}

/** Warns of fractional bytes in limits and requests, resource by resource, as the API does. */
export function fractionalBytes(
  path: string,
  resources: { limits?: ResourceList | undefined; requests?: ResourceList | undefined } | undefined,
  names: readonly string[],
): string[] {
  return names.flatMap((name) => [
    ...fractionalByteWarnings(`${path}.limits`, resources?.limits, [name]),
    ...fractionalByteWarnings(`${path}.requests`, resources?.requests, [name]),
  ]);
}
