import type { Subscription } from '../../store/index.ts';
import type { ServedResource } from './served-resource.ts';

/** The kinds that the server serves: Kubernetes' kinds, and kinds of CustomResourceDefinitions, which come and go. */
export class ResourceTable {
  readonly #byPath = new Map<string, ServedResource>();
  readonly #followers = new Set<(resource: ServedResource) => void>();
  #revision = 0;

  constructor(resources: readonly ServedResource[]) {
    for (const resource of resources) this.#byPath.set(pathOf(resource), resource);
  }

  /** Grows with each change of the table: documents about it are made anew. */
  get revision(): number {
    return this.#revision;
  }

  get all(): readonly ServedResource[] {
    return [...this.#byPath.values()];
  }

  /** The resource of a path: `/apis/GROUP/VERSION/PLURAL`. */
  find(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#byPath.get(pathOf({ group, version, plural }));
  }

  /** The kinds of a group and version. Empty when there is no such version. */
  of(group: string, version: string): readonly ServedResource[] {
    return this.all.filter((resource) => resource.group === group && resource.version === version);
  }

  /** Calls back with each resource that is served, also with later ones. */
  follow(onAdded: (resource: ServedResource) => void): Subscription {
    for (const resource of this.all) onAdded(resource);
    this.#followers.add(onAdded);
    return { close: () => void this.#followers.delete(onAdded) };
  }

  /** Serves the resource from now on, also in the place of an older one. */
  add(resource: ServedResource): void {
    this.#byPath.set(pathOf(resource), resource);
    this.#revision++;
    for (const onAdded of this.#followers) onAdded(resource);
  }

  remove(resource: ServedResource): void {
    if (this.#byPath.delete(pathOf(resource))) this.#revision++;
  }
}

function pathOf({ group, version, plural }: Pick<ServedResource, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}
