import {
  allContainers,
  type Container,
  errorMessage,
  formatTime,
  fullImageName,
  splitVersion,
  type StoredPod,
  type StoredSecret,
} from '../../api/index.ts';
import { type Clock, machineClock } from '../../clock.ts';
import {
  containerSource,
  type CredentialOrigin,
  credentialsFor,
  type EnsuredImage,
  type EventDraft,
  type FoundImage,
  type ImageNeed,
  imageNotHere,
  joinedErrors,
  type KeyringEntry,
  type LayerKind,
  mayUse,
  type PresentImage,
  pullingImage,
  type PullOutcome,
  type PullRate,
  pullSecretsMissing,
  type SourceRules,
  takePull,
  volumeSource,
  withAccess,
} from '../../lifecycle/index.ts';
import type { ImageLayers, Runtime } from '../../runtime/index.ts';
import type { Store } from '../../store/index.ts';
import { type ContainerImages, HeldImages, type LaunchImage, podSourceRules, secretKeyring } from './pod-source.ts';
import { type AgentSettings, goArch, hasImage, listImage } from '../../settings/index.ts';
import type { ImageSupply } from './image-supply.ts';
import { type OnPull, PullNotices } from './pull-notices.ts';

interface NodeImagesOptions {
  readonly settings: AgentSettings;
  readonly store: Store;
  readonly clock: Clock;
  readonly onPull: OnPull | undefined;
  /** Asked for when the first container needs an image. */
  readonly supply: () => Promise<ImageSupply>;
}

/** One look-up of an image. */
export interface EnsureCall {
  readonly need: ImageNeed;
  /** False while the back-off of a failed pull is under way. */
  readonly mayPull: boolean;
  readonly signal: AbortSignal;
  readonly event: (draft: EventDraft) => void;
}

/** A look-up on its way. */
interface Wanted extends EnsureCall {
  readonly pod: StoredPod;
  /** The full name. */
  readonly name: string;
  readonly repository: string;
  readonly secrets: readonly KeyringEntry[];
  readonly supply: ImageSupply;
}

/** The image manager of a node: images for containers and volumes, present or pulled. Source: pkg/kubelet/images. */
export class NodeImages implements ContainerImages {
  readonly #options: NodeImagesOptions;
  readonly #notices: PullNotices;
  readonly #held = new HeldImages();
  #kind: LayerKind | undefined;
  #rate: PullRate | undefined;

  constructor(options: NodeImagesOptions) {
    this.#options = options;
    this.#notices = new PullNotices(options.onPull, options.clock);
  }

  isImage(pod: StoredPod, container: Container): boolean {
    return containerSource(container, this.#options.settings.images, this.#rules(pod)).type === 'image';
  }

  isNeeded(pod: StoredPod): boolean {
    return allContainers(pod.spec).some((each) => this.isImage(pod, each)) || this.#imageVolumes(pod).length > 0;
  }

  owners(): LayerKind {
    return this.#kind ?? 'root';
  }

  /** Finds the owners of the files of images here, for a Pod that has one. Rejects when podrun cannot unpack any. */
  async open(pod: StoredPod): Promise<void> {
    if (this.isNeeded(pod)) {
      this.#kind ??= await (await this.#options.supply()).kind();
    }
  }

  async imageOf(pod: StoredPod, { image = '' }: Container): Promise<LaunchImage> {
    const supply = await this.#options.supply();
    const present = this.#hold(supply, pod, fullImageName(image) ?? '');
    if (present === undefined) throw new Error(imageNotHere(image));
    supply.used(present);
    this.#kind ??= await supply.kind();
    return { config: present.config.config ?? {}, root: { ...supply.layersOf(present), owners: this.#kind } };
  }

  /** The files of an image that `ensure` has found for a volume of the Pod. Undefined: it holds none. */
  filesOf(pod: StoredPod, reference: string): ImageLayers | undefined {
    return this.#held.layersOf(pod, fullImageName(reference) ?? '');
  }

  /** Keeps the images of a Pod whose containers another process has started. */
  async adopted(pod: StoredPod): Promise<void> {
    if (!this.isNeeded(pod)) return;
    const supply = await this.#options.supply();
    const images = allContainers(pod.spec).filter((each) => this.isImage(pod, each));
    const names = [...images.map(({ image }) => image ?? ''), ...this.#imageVolumes(pod)];
    for (const name of names) this.#hold(supply, pod, fullImageName(name) ?? '');
  }

  /** Lets go of the images of a Pod that has ended. */
  left(pod: StoredPod): void {
    this.#held.release(pod);
  }

  /** Looks an image up, and pulls it when its policy asks for that. Never rejects. */
  async ensure(pod: StoredPod, call: EnsureCall): Promise<EnsuredImage> {
    const { need, mayPull, event } = call;
    const name = fullImageName(need.image) ?? need.image;
    const policy = this.#options.settings.imageSettings.alwaysPull ? 'Always' : need.pullPolicy;
    try {
      const supply = await this.#options.supply();
      const present = policy === 'Always' ? undefined : this.#hold(supply, pod, name);
      if (present === undefined && policy === 'Never') return { type: 'absent' };
      const secrets = secretKeyring(this.#secretsOf(pod, event));
      const wanted = { ...call, pod, name, repository: splitVersion(name).name, secrets, supply };
      const isUsable = present !== undefined && this.#mayUse(present, wanted);
      if (isUsable && this.#isOnNode(present, wanted)) {
        listImage(this.#options.store, pod.spec.nodeName ?? '', present);
        return { type: 'present', image: foundImage(present) };
      }
      // Never reveals a present image to a Pod without access to it.
      if (policy === 'Never') return { type: 'absent' };
      if (!mayPull) return { type: 'backingOff' };
      return isUsable ? this.#copy(present, wanted) : await this.#pull(wanted);
    } catch (error) {
      return { type: 'failed', error: errorMessage(error) };
    }
  }

  #rules(pod: StoredPod): SourceRules {
    return podSourceRules(pod, this.#options.settings, this.#options.store);
  }

  /** The references of volumes that show images. */
  #imageVolumes(pod: StoredPod): string[] {
    const rules = this.#rules(pod);
    const references = (pod.spec.volumes ?? []).flatMap(({ image }) => image?.reference ?? []);
    return references.filter((each) => volumeSource(each, this.#options.settings.images, rules).type === 'image');
  }

  #hold(supply: ImageSupply, pod: StoredPod, name: string): PresentImage | undefined {
    const held = supply.hold(name, `pod/${pod.metadata.name}`);
    if (held === undefined) return undefined;
    this.#held.add(pod, { name, layers: supply.layersOf(held.image), release: held.release });
    return held.image;
  }

  /** Compares the Pod's Secrets with the Secrets that have brought the image, and notes the Secrets that match. */
  #mayUse({ configDigest }: PresentImage, { name, repository, secrets, supply }: Wanted): boolean {
    const { records } = supply;
    const access = records.accessOf(configDigest);
    const origins = credentialsFor(repository, [secrets]).map(({ origin }) => origin);
    const isInterrupted = access === undefined && records.isBegun(name);
    const { verification } = this.#options.settings.imageSettings;
    if (!mayUse({ repository, access, isInterrupted, origins }, verification)) return false;
    for (const origin of access?.[repository] === undefined ? [] : origins) {
      const isKnown = mayUse({ repository, access, isInterrupted, origins: [origin] }, verification);
      if (isKnown) this.#record(configDigest, repository, origin, supply);
    }
    return true;
  }

  /** True for an image that the node has pulled, and for one that came without a registry: each node has it. */
  #isOnNode(image: PresentImage, { pod, name, supply: { records } }: Wanted): boolean {
    const isPreloaded = records.accessOf(image.configDigest) === undefined && !records.isBegun(name);
    return isPreloaded || hasImage(this.#options.store, pod.spec.nodeName ?? '', image);
  }

  /** Gives an image of this machine to the node of a Pod, whose kubelet has to pull it. */
  #copy(image: PresentImage, { need, pod, event }: Wanted): EnsuredImage {
    event(pullingImage(need));
    listImage(this.#options.store, pod.spec.nodeName ?? '', image);
    return { type: 'pulled', image: foundImage(image), size: image.size, pullMs: 0, waitedMs: 0 };
  }

  #record(
    configDigest: string,
    repository: string,
    origin: CredentialOrigin | undefined,
    { records }: ImageSupply,
  ): void {
    const before = records.accessOf(configDigest);
    const after = withAccess(before, repository, origin);
    if (JSON.stringify(before) === JSON.stringify(after)) return;
    records.setAccess(configDigest, after, formatTime(this.#options.clock.now().wallMs));
  }

  async #pull(wanted: Wanted): Promise<EnsuredImage> {
    const { need, pod, name, repository, secrets, supply, signal, event } = wanted;
    const { clock, settings } = this.#options;
    const { registries } = settings.imageSettings;
    event(pullingImage(need));
    const credentials = credentialsFor(repository, [secrets, ...(await supply.userKeyrings(repository))]);
    const beganMs = clock.now().monotonicMs;
    const kind = (this.#kind ??= await supply.kind());
    const platform = { os: 'linux', architecture: goArch() };
    const outcome = await supply.inTurn(async (): Promise<PullOutcome> => {
      const rate = takePull(this.#rate, settings.imageSettings, clock.now().monotonicMs);
      if (rate === undefined) return { ok: false, errors: ['pull QPS exceeded'] };
      if (signal.aborted) return { ok: false, errors: ['context canceled'] };
      this.#rate = rate;
      const end = supply.records.begin(name);
      const notice = this.#notices.begin(need.image);
      const request = { name, platform, credentials, registries, kind };
      const pulled = await supply.pull(request, { signal, onProgress: notice.progress });
      notice.end(pulled.ok);
      if (pulled.ok) {
        const { image, credential } = pulled;
        const origin = credential === undefined ? undefined : credentials[credential]?.origin;
        this.#record(image.configDigest, repository, origin, supply);
        this.#hold(supply, pod, name);
      }
      end(pulled.ok ? 'known' : 'failed');
      return pulled;
    });
    if (!outcome.ok) return { type: 'failed', error: joinedErrors(outcome.errors) };
    void supply.collect().catch(() => undefined);
    const { image, pullMs } = outcome;
    listImage(this.#options.store, pod.spec.nodeName ?? '', image);
    const waitedMs = clock.now().monotonicMs - beganMs;
    return { type: 'pulled', image: foundImage(image), size: image.size, pullMs, waitedMs };
  }

  /** The Secrets that the Pod names and that exist. An event names the missing ones. */
  #secretsOf({ metadata, spec }: StoredPod, event: (draft: EventDraft) => void): StoredSecret[] {
    const names = (spec.imagePullSecrets ?? []).flatMap(({ name }) => name || []);
    const secrets = names.map((name) => this.#options.store.get<StoredSecret>('secrets', metadata.namespace, name));
    const missing = names.filter((_, index) => secrets[index] === undefined);
    if (missing.length > 0) event(pullSecretsMissing(missing));
    return secrets.filter((secret) => secret !== undefined);
  }
}

function foundImage({ name, digest }: PresentImage): FoundImage {
  return { name, id: `${splitVersion(name).name}@${digest}` };
}

/** The images of an agent's Pods. Undefined: all containers run programs of this machine. */
export function nodeImages({ settings, store, clock, runtime, onPull }: NodeImagesContext): NodeImages | undefined {
  const { images: map, imageSource, imageSettings, runtimeHandlers, hostEnv: env } = settings;
  const hasEntry = [...map.commandLine, ...map.configFile].some(({ pull }) => pull === true);
  const hasHandler = Object.values(runtimeHandlers).some(({ images = 'host' }) => images !== 'host');
  if (imageSource === 'host' && !hasEntry && !hasHandler) return undefined;
  let supply: Promise<ImageSupply> | undefined;
  return new NodeImages({
    settings,
    store,
    clock,
    onPull,
    supply: () =>
      (supply ??= import('./open-supply.ts').then(({ openSupply }) =>
        openSupply({ env, settings: imageSettings, clock: machineClock(clock), until: runtime.keeperSocket }),
      )),
  });
}

interface NodeImagesContext {
  readonly settings: AgentSettings;
  readonly store: Store;
  readonly clock: Clock;
  readonly runtime: Pick<Runtime, 'keeperSocket'>;
  readonly onPull?: OnPull | undefined;
}
