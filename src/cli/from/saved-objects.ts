import { Option } from 'commander';
import {
  compareText,
  DEFAULT_NAMESPACE,
  type KubeObject,
  PodrunError,
  resourceTypeOf,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import type { ObjectReader, Resource, Scope } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { append } from '../select/selection-flags.ts';

/** The flags that choose the source of objects. */
export interface FromFlags {
  /** `--from`: files with saved objects. Empty: the store. */
  readonly from: readonly string[];
  readonly namespace: string | undefined;
}

/**
 * Reads the files of `--from` into a reader like the store. Neither reads nor makes a state folder.
 * @throws {PodrunError} (usage) with every mistake and its place
 */
export async function savedObjects(cli: Cli, { from, namespace }: FromFlags): Promise<ObjectReader> {
  const { loadSaved } = await import('../../manifest/load-saved.ts');
  const { changes, errors } = await loadSaved({ files: from, pathOf: cli.pathOf, stdin: () => cli.stdin });
  if (errors.length > 0) {
    const { renderManifestErrors } = await import('../../manifest/report.ts');
    const lines = renderManifestErrors(errors).map((line) => line.replace('error when creating', 'error when reading'));
    throw new PodrunError('InvalidManifest', lines.join('\n'));
  }
  const saved = new SavedObjects(namespace === undefined);
  for (const { type, object } of changes) {
    if (type === 'DELETED') saved.remove(object);
    else saved.put(object);
  }
  return saved;
}

class SavedObjects implements ObjectReader {
  readonly #isAnyNamespace: boolean;
  readonly #objects = new Map<string, { readonly resource: Resource; readonly object: StoredKubeObject }>();

  /** @param isAnyNamespace true without `--namespace`: finds saved objects in every namespace */
  constructor(isAnyNamespace: boolean) {
    this.#isAnyNamespace = isAnyNamespace;
  }

  /** Adds an object. A later object replaces an earlier one with the same name. */
  put(object: KubeObject): void {
    this.#objects.set(keyOf(object), { resource: resourceTypeOf(object).plural, object: completed(object) });
  }

  remove(object: KubeObject): void {
    this.#objects.delete(keyOf(object));
  }

  get<T>(resource: Resource, namespace: string, name: string): T | undefined {
    const named = this.#all(resource).filter(({ metadata }) => metadata.name === name);
    const inNamespace = named.find(({ metadata }) => metadata.namespace === namespace);
    return (inNamespace ?? (this.#isAnyNamespace ? named[0] : undefined)) as T | undefined;
  }

  list<T>(resource: Resource, { namespace, name }: Scope = {}): T[] {
    const isAny = namespace === undefined || (this.#isAnyNamespace && namespace === DEFAULT_NAMESPACE);
    return this.#all(resource)
      .filter(({ metadata }) => isAny || metadata.namespace === namespace)
      .filter(({ metadata }) => name === undefined || metadata.name === name)
      .sort(
        (a, b) =>
          compareText(a.metadata.namespace, b.metadata.namespace) || compareText(a.metadata.name, b.metadata.name),
      ) as T[];
  }

  #all(wanted: Resource): StoredKubeObject[] {
    return [...this.#objects.values()].flatMap(({ resource, object }) => (resource === wanted ? [object] : []));
  }
}

function keyOf({ apiVersion, kind, metadata }: KubeObject): string {
  return [apiVersion, kind, metadata.namespace ?? '', metadata.name].join('\n');
}

/** Adds the fields that every stored object has. */
function completed(object: KubeObject): StoredKubeObject {
  const { metadata } = object;
  const namespace = resourceTypeOf(object).isNamespaced ? metadata.namespace || DEFAULT_NAMESPACE : metadata.namespace;
  const whole = { ...object, metadata: { ...metadata, ...(namespace !== undefined && { namespace }) } };
  if (object.kind === 'Event') return { involvedObject: {}, ...whole } as unknown as StoredKubeObject;
  if (object.kind !== 'Pod') return whole as StoredKubeObject;
  const spec = { containers: [], ...(object['spec'] as object | undefined) };
  return { ...whole, spec, status: object['status'] ?? {} } as unknown as StoredKubeObject;
}

/** Makes the option `--from`, which reads files instead of the store. */
export function fromOption(): Option {
  return new Option('--from <file>', 'show the objects in this file instead of the store; -: standard input')
    .argParser(append)
    .default([]);
}

/** @throws {PodrunError} (usage) for --at or --watch, which need the store */
export function refuseOfSaved({ from, at, watch }: { from: readonly string[]; at?: string; watch: boolean }): void {
  if (from.length === 0 || (at === undefined && !watch)) return;
  const flag = watch ? '--watch' : '--at';
  throw usage(`--from shows saved objects: it cannot be used with ${flag}`);
}
