import { applyPatch, type Container, isJsonObject, type JsonObject, usage } from '../../api/index.ts';
import { readValue, SourceError } from '../../manifest/index.ts';
import { readUpTo } from '../../store/index.ts';

/** A part of a container, which `--custom` adds to the container for debugging. */
export type CustomProfile = JsonObject;

/** The largest file, in bytes: the API server accepts no larger object. */
const MAX_BYTES = 3 * 2 ** 20;

/** The fields that other flags decide. */
const FIXED = ['name', 'command', 'image', 'lifecycle', 'volumeDevices'];

/**
 * Reads the file of `--custom`. Source: kubectl/pkg/cmd/debug/debug.go, Complete and Validate.
 * @param file as the user names it
 * @param place the same, from anywhere
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function readCustomProfile(file: string, place: string): CustomProfile {
  const value = parsed(file, textOf(file, place));
  if (!isJsonObject(value)) {
    const kind = Array.isArray(value) ? 'array' : typeof value;
    throw invalid(file, `json: cannot unmarshal ${kind} into Go value of type v1.Container`);
  }
  const isFixed = (field: string): boolean =>
    Array.isArray(value[field]) ? value[field].length > 0 : Boolean(value[field]);
  if (FIXED.some(isFixed))
    throw usage('name, command, image, lifecycle and volume devices are not modifiable via custom profile');
  return value;
}

/** The container with the fields of the profile: lists are merged as in a strategic merge patch. */
export function customized<T extends Partial<Container>>(container: T, profile: CustomProfile | undefined): T {
  if (profile === undefined) return container;
  // The name is the key by which containers are merged.
  const { name } = container;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: {}, spec: { containers: [container] } };
  const merged = applyPatch(pod, { spec: { containers: [{ ...profile, name }] } }, 'strategic');
  const [result] = (merged['spec'] as { readonly containers: readonly T[] }).containers;
  return result ?? container;
}

function textOf(file: string, place: string): string {
  try {
    return readUpTo(place, MAX_BYTES).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? `open ${file}: no such file or directory` : message;
    throw usage(`must pass a container spec json file for custom profile: ${why}`);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return readValue(text);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw invalid(file, error.message);
  }
}

function invalid(file: string, why: string): Error {
  return usage(`${file} does not contain a valid container spec: ${why}`);
}
