import { bytesOf } from './bpf.ts';
import { compileFilter } from './compile.ts';
import type { SeccompFilter, SeccompProgram } from '../../base/seccomp.ts';
import { type FilteredPlace, resolveProfile, type SeccompProfile } from './profile.ts';

/** The flags of seccomp(2) that profiles may name. Source: linux/seccomp.h. */
const FLAGS: Readonly<Record<string, number>> = {
  SECCOMP_FILTER_FLAG_LOG: 2,
  SECCOMP_FILTER_FLAG_SPEC_ALLOW: 4,
};

/** A filter for OCI runtimes, and its program for podrun's own containers. */
export interface CompiledProfile {
  readonly filter: SeccompFilter;
  readonly program: SeccompProgram;
}

/** By the text of the profile and the place: containers of a kind have one program. */
const compiled = new Map<string, CompiledProfile>();

/**
 * Compiles a profile for a container, once.
 * @throws {Error} for a profile that podrun cannot compile
 */
export function compileProfile(profile: SeccompProfile, place: FilteredPlace): CompiledProfile {
  const key = JSON.stringify([profile, place]);
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const filter = resolveProfile(profile, place);
  const flags = (filter.flags ?? []).reduce((sum, name) => sum | (FLAGS[name] ?? 0), 0);
  const result = { filter, program: { flags, hex: bytesOf(compileFilter(filter, place.machine)).toString('hex') } };
  compiled.set(key, result);
  return result;
}
