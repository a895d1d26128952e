import { createHash } from 'node:crypto';
import {
  type Container,
  DEFAULT_NAMESPACE,
  type KubeObject,
  type RuntimeClass,
  type StoredPod,
  type StoredSecret,
} from '../../api/index.ts';
import {
  type HandlerOutcome,
  type ImageRunConfig,
  type KeyringEntry,
  parseDockerConfig,
  podHandler,
  type SourceRules,
} from '../../lifecycle/index.ts';
import type { FileOwners, ImageLayers, ImageRoot } from '../../runtime/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { ObjectReader } from '../../store/index.ts';

type HandlerSettings = Pick<AgentSettings, 'features' | 'imageSource' | 'runtimeHandlers'>;

/** The handler of the Pod's RuntimeClass, or the reason why this machine does not have it. */
export function runtimeHandlerOf(
  pod: StoredPod,
  { features, runtimeHandlers }: Pick<HandlerSettings, 'features' | 'runtimeHandlers'>,
  store: ObjectReader,
): HandlerOutcome {
  return podHandler(pod, {
    own: runtimeHandlers,
    tier: features.tier,
    classNamed: (name) => store.get<RuntimeClass & KubeObject>('runtimeclasses', DEFAULT_NAMESPACE, name),
  });
}

/** The rules for the sources of a Pod's containers: the rules of its handler come before the user's. */
export function podSourceRules(pod: StoredPod, settings: HandlerSettings, store: ObjectReader): SourceRules {
  const { imageSource, features } = settings;
  const handler = runtimeHandlerOf(pod, settings, store);
  if (!handler.ok) return { choice: imageSource, tier: features.tier };
  const tier = handler.type === 'oci' ? 'namespace' : handler.type;
  return { choice: handler.images ?? imageSource, tier };
}

/** The image from which a container runs. */
export interface LaunchImage {
  readonly config: ImageRunConfig;
  readonly root: ImageRoot;
}

/** The images of this machine, for the containers that run from them. */
export interface ContainerImages {
  /** True when the container runs from its image, false when it runs a program of this machine. */
  isImage(pod: StoredPod, container: Container): boolean;
  /** True when a container of the Pod runs from an image, or a volume shows one. */
  isNeeded(pod: StoredPod): boolean;
  /** The owners of the files of images here. */
  owners(): FileOwners;
  /**
   * The image of a container that runs from it.
   * @throws {Error} when the image is not on this machine any more, or cannot be the root of a container here
   */
  imageOf(pod: StoredPod, container: Container): Promise<LaunchImage>;
}

interface HeldImage {
  /** The full name. */
  readonly name: string;
  readonly layers: ImageLayers;
  readonly release: () => void;
}

/** The images that Pods use and that must not be removed. */
export class HeldImages {
  /** By uid of the Pod. */
  readonly #held = new Map<string, readonly HeldImage[]>();

  add({ metadata: { uid } }: StoredPod, image: HeldImage): void {
    const held = this.#held.get(uid) ?? [];
    const known = held.find(({ name, layers }) => name === image.name && layers.folder === image.layers.folder);
    // A tag may stand for another image than before, which running containers still have.
    if (known === undefined) this.#held.set(uid, [...held, image]);
    else image.release();
  }

  /** The layers of the newest image of a name. Undefined: the Pod holds none. */
  layersOf({ metadata: { uid } }: StoredPod, wanted: string): ImageLayers | undefined {
    return this.#held.get(uid)?.findLast(({ name }) => name === wanted)?.layers;
  }

  release({ metadata: { uid } }: StoredPod): void {
    for (const { release } of this.#held.get(uid) ?? []) release();
    this.#held.delete(uid);
  }
}

/** The data of each type of Secret with credentials for registries. Skips Secrets of any other type. */
const FORMS = {
  'kubernetes.io/dockerconfigjson': { key: '.dockerconfigjson', form: 'auths' },
  'kubernetes.io/dockercfg': { key: '.dockercfg', form: 'bare' },
} as const;

/**
 * The keyring of the Secrets that a Pod names for its pulls. Source: pkg/credentialprovider/secrets/secrets.go.
 * @throws {Error} when the data of one cannot be read
 */
export function secretKeyring(secrets: readonly StoredSecret[]): KeyringEntry[] {
  return secrets.flatMap((secret) => {
    const { key, form } = FORMS[secret.type as keyof typeof FORMS] ?? {};
    const data = key === undefined ? undefined : secret.data?.[key];
    if (data === undefined || form === undefined) return [];
    const config = parseDockerConfig(Buffer.from(data, 'base64').toString('utf8'), form);
    const { namespace, name, uid } = secret.metadata;
    if (config === undefined) throw new Error(`the ${key} of secret ${namespace}/${name} cannot be read`);
    return Object.entries(config.entries).map(([host, { username, password }]): KeyringEntry => {
      const hash = createHash('sha256').update(JSON.stringify({ username, password })).digest('hex');
      const origin = { type: 'secret', uid, namespace, name, hash } as const;
      return { key: host, credential: { username, password, origin } };
    });
  });
}
