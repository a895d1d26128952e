import type { Pod } from '../../api/generated/types.ts';
import { goQuote } from '../../api/go/go-quote.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { describeDifferences } from './differences.ts';
import { isSameValue } from './same-value.ts';

/** Containers for debugging a running Pod (KEP-277), through the subresource `ephemeralcontainers`. */

const PATH = 'spec.ephemeralContainers';
const TYPE = 'EphemeralContainer';

/** The stored Pod with the ephemeral containers of the changed one. Drops all other changes. */
export function podWithEphemeralContainers(stored: Decoded<Pod>, changed: Decoded<Pod>): Decoded<Pod> {
  const { ephemeralContainers } = changed.spec ?? {};
  const rest = omit(stored.spec ?? {}, ['ephemeralContainers']);
  return { ...stored, spec: ephemeralContainers === undefined ? rest : { ...rest, ephemeralContainers } };
}

/**
 * Allows only added ephemeral containers.
 * Source: pkg/apis/core/validation/validation.go, ValidatePodEphemeralContainersUpdate.
 */
export function validateEphemeralContainersUpdate(stored: Decoded<Pod>, changed: Decoded<Pod>): FieldError[] {
  const present = changed.spec?.ephemeralContainers ?? [];
  return (stored.spec?.ephemeralContainers ?? []).flatMap((before) => {
    const subject = `existing ephemeral containers ${goQuote(before.name ?? '')}`;
    const index = present.findIndex(({ name }) => name === before.name);
    const after = present[index];
    if (after === undefined) return [forbidden(PATH, `${subject} may not be removed`)];
    if (isSameValue(before, after, TYPE)) return [];
    const differences = describeDifferences(`${PATH}[${index}]`, before, after, TYPE);
    return [forbidden(PATH, `${subject} may not be changed\n${differences}`)];
  });
}
