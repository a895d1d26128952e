import {
  controllerOf,
  everyResourceType,
  isTerminalPhase,
  isWorkload,
  type KubeObject,
  type StoredPod,
} from '../../api/index.ts';
import { type Unservable, unservableText } from '../../lifecycle/index.ts';
import { looseReferences, type ManifestObject } from '../../manifest/index.ts';
import type { FileStore } from '../../store/index.ts';

type Loose = ReturnType<typeof looseReferences<ManifestObject>>[number];

/**
 * The Services, Ingresses and ports of probes in manifests that lead nowhere: neither the manifests nor what runs at
 * the moment has what they name. A Pod that lacks a ConfigMap or a Secret says so in its own status, and a
 * NetworkPolicy may come before its Pods.
 */
export class LooseEnds {
  readonly #store: FileStore;
  readonly #manifests: readonly ManifestObject[];
  /** The names that the manifests alone do not explain. Most manifests have none, and the store is never asked. */
  readonly #inManifests: readonly Loose[];

  constructor(store: FileStore, manifests: readonly ManifestObject[]) {
    this.#store = store;
    this.#manifests = manifests;
    this.#inManifests = looseReferences(manifests, { objects: [], isAll: true }).filter(isShown);
  }

  /** A warning about each, with its place: it may come with a later apply. */
  get warnings(): readonly string[] {
    return this.#lookUp().map((loose) => {
      const { line, column } = loose.from.positionOf?.(loose.path) ?? {};
      const { file } = loose.from;
      const place = line === undefined ? file : `${file}:${line}:${column}`;
      return unservableText(asUnservable(loose, ` (${place})`));
    });
  }

  /**
   * The objects that keep everything from being ready. A port of a probe can never be had. What a Service or an
   * Ingress names may come, from other Pods of the run or another apply, until everything else is ready.
   */
  unservable(isAllReady: boolean): readonly Unservable[] {
    const isObstacle = ({ about }: Loose): boolean => about === 'probe' || (about === 'service' && isAllReady);
    if (!this.#inManifests.some(isObstacle)) return [];
    return this.#lookUp()
      .filter(isObstacle)
      .map((loose) => asUnservable(loose, ''));
  }

  #lookUp(): readonly Loose[] {
    if (this.#inManifests.length === 0) return [];
    const known = new Set(this.#manifests.map(({ object }) => keyOf(object)));
    const objects = liveObjects(this.#store).filter((object) => !known.has(keyOf(object)));
    return looseReferences(this.#manifests, { objects, isAll: true }).filter(isShown);
  }
}

function isShown({ about }: Loose): boolean {
  return about !== 'data' && about !== 'policy' && about !== 'requests';
}

function asUnservable({ from: { object }, path, message, hint }: Loose, place: string): Unservable {
  const advice = hint === undefined ? '' : `. ${hint}`;
  const about = `${object.kind.toLowerCase()}/${object.metadata.name}`;
  return { about, path, message: `${message}${place}${advice}` };
}

/**
 * The stored Services, and the Pods and workloads that a process looks after: Pods of earlier runs serve no client. The
 * template of a workload stands for its Pods, of which older ones are about to go.
 */
function liveObjects(store: FileStore): readonly KubeObject[] {
  return everyResourceType()
    .filter(({ kind }) => kind === 'Service' || kind === 'Pod' || isWorkload({ kind }))
    .flatMap(({ kind, plural }) =>
      store.list(plural).filter((object) => {
        if (kind === 'Service') return true;
        if (isWorkload({ kind: controllerOf(object)?.kind ?? '' })) return false;
        const { namespace = '', name = '' } = object.metadata;
        if (!store.owners.isOwned(namespace, name, plural)) return false;
        return kind !== 'Pod' || !isTerminalPhase((object as unknown as StoredPod).status.phase);
      }),
    );
}

function keyOf({ kind, metadata: { namespace = 'default', name } }: KubeObject | ManifestObject['object']): string {
  return `${kind} ${namespace}/${name}`;
}
