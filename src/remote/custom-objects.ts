import {
  hasCode,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  PodrunError,
  type ResourceType,
} from '../api/index.ts';
import { type Clock, sleep } from '../clock.ts';
import type { ClusterConnection } from './base/connection.ts';

/** An object of a kind that is none of Kubernetes' own. */
export interface ForeignObject {
  readonly object: KubeObject;
  readonly type: ResourceType;
}

/** The interval of the tries to create an object whose kind or webhook is not there yet, milliseconds. */
const TRY_MS = 200;

/**
 * Finds the types of custom objects: a definition among the objects of the run has them, or the cluster serves them.
 * @returns the objects whose kind is known, in the same order
 */
export async function foreignObjects(
  connection: ClusterConnection,
  custom: readonly KubeObject[],
  beside: readonly KubeObject[],
): Promise<readonly ForeignObject[]> {
  const types = new Map(beside.flatMap(typesOfDefinition).map((type) => [kindOf(type), type]));
  const versions = custom.filter((object) => !types.has(kindOf(object))).map(({ apiVersion }) => apiVersion);
  for (const apiVersion of new Set(versions))
    for (const type of await servedTypes(connection, apiVersion)) types.set(kindOf(type), type);
  return custom.flatMap((object) => {
    const type = types.get(kindOf(object));
    return type === undefined ? [] : [{ object, type }];
  });
}

function kindOf({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  return `${apiVersion}/${kind}`;
}

function typesOfDefinition({ kind, spec }: KubeObject & { readonly spec?: unknown }): ResourceType[] {
  if (kind !== 'CustomResourceDefinition' || !isJsonObject(spec)) return [];
  const { group, names, scope, versions } = spec;
  if (!isJsonObject(names) || !Array.isArray(versions)) return [];
  return versions
    .filter(isJsonObject)
    .map(({ name }) => typeOf(`${String(group)}/${String(name)}`, names, scope === 'Namespaced'));
}

function typeOf(apiVersion: string, { kind, plural }: JsonObject, isNamespaced: boolean): ResourceType {
  return { apiVersion, kind: String(kind), plural: String(plural), aliases: [], isNamespaced, inAll: false };
}

/** The types of a version of a group that the cluster serves. */
async function servedTypes(connection: ClusterConnection, apiVersion: string): Promise<ResourceType[]> {
  interface Discovery {
    readonly resources?: ReadonlyArray<{ readonly name: string; readonly kind: string; readonly namespaced: boolean }>;
  }
  try {
    const { resources = [] } = await connection.request<Discovery>({ method: 'GET', path: `/apis/${apiVersion}` });
    const whole = resources.filter(({ name }) => !name.includes('/'));
    return whole.map(({ name, kind, namespaced }) => typeOf(apiVersion, { kind, plural: name }, namespaced));
  } catch (error) {
    if (hasCode(error, 'NotFound')) return [];
    throw error;
  }
}

/** The limits of the tries to create a custom object. */
interface CustomCreation {
  readonly name: string;
  readonly clock: Clock;
  /** The monotonic time at which podrun gives up. Undefined: never. */
  readonly deadlineMs?: number | undefined;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

/**
 * Creates a custom object as soon as the cluster serves its kind and its webhooks respond. Says once what it waits for.
 * @throws {PodrunError} another refusal; (Timeout) the last one, when time has passed; the reason of an aborted signal
 */
export async function onceServed(
  create: () => Promise<unknown>,
  { name, clock, deadlineMs = Infinity, signal, note }: CustomCreation,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      await create();
      return;
    } catch (error) {
      if (!(error instanceof PodrunError) || !isTooEarly(error)) throw error;
      if (clock.now().monotonicMs >= deadlineMs)
        throw new PodrunError('Timeout', `timed out, waiting for ${name}: ${error.message}`, { cause: error });
      if (tries === 2) note(`${name} waits: ${error.message}`);
    }
    await sleep(clock, TRY_MS);
  }
}

/** The kind has just been defined, or the program of a webhook does not run yet. */
function isTooEarly(error: PodrunError): boolean {
  return error.code === 'NotFound' || /failed calling webhook|conversion webhook for/.test(error.message);
}
