import type { Subscription } from '../../store/index.ts';
import type { GroupPriority } from './group-priorities.ts';

/** The Service of another API server, and how its certificate is checked. */
export interface BackendService {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
  /** PEM. Undefined: the usual CAs of this machine. */
  readonly ca: string | undefined;
  readonly isUnverified: boolean;
}

/** A kind of another API server, as the aggregated document of discovery lists it. */
export interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind: DiscoveredKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly DiscoveredSubresource[];
}

export interface DiscoveredSubresource {
  readonly subresource: string;
  readonly responseKind: DiscoveredKind;
  readonly verbs: readonly string[];
}

/** An empty group or version stands for the one of the document. */
export interface DiscoveredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A version of a group that another API server serves: an APIService with a Service. */
export interface AggregatedVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: GroupPriority;
  readonly backend: BackendService;
  /** True: the condition `Available` is True. */
  readonly isAvailable: boolean;
  /** Undefined: the other server does not say what it has. */
  readonly resources: readonly DiscoveredResource[] | undefined;
  /** The path of its OpenAPI v3 document, with its hash. Undefined: it has none. */
  readonly openapi: string | undefined;
}

/** The versions of groups that other API servers serve. */
export class AggregatedTable {
  readonly #versions = new Map<string, AggregatedVersion>();
  readonly #followers = new Set<() => void>();
  #revision = 0;

  /** Grows with each change: documents about the versions are made anew. */
  get revision(): number {
    return this.#revision;
  }

  get all(): readonly AggregatedVersion[] {
    return [...this.#versions.values()];
  }

  find(group: string, version: string): AggregatedVersion | undefined {
    return this.#versions.get(`${group}/${version}`);
  }

  /** The version that a path or URL leads to: `/apis/GROUP/VERSION` and all below it. */
  at(url: string): AggregatedVersion | undefined {
    if (this.#versions.size === 0) return undefined;
    const [path = ''] = url.split('?', 1);
    const [, apis, group = '', version = ''] = path.split('/', 4);
    return apis === 'apis' ? this.find(group, version) : undefined;
  }

  set(version: AggregatedVersion): void {
    this.#versions.set(`${version.group}/${version.version}`, version);
    this.#changed();
  }

  remove({ group, version }: Pick<AggregatedVersion, 'group' | 'version'>): void {
    if (this.#versions.delete(`${group}/${version}`)) this.#changed();
  }

  /** Calls back after each change. */
  follow(onChange: () => void): Subscription {
    this.#followers.add(onChange);
    return { close: () => void this.#followers.delete(onChange) };
  }

  #changed(): void {
    this.#revision++;
    for (const onChange of this.#followers) onChange();
  }
}
