import { fullImageName, splitVersion } from '../../api/image-reference.ts';
import type { Container } from '../../api/generated/types.ts';
import type { StoredPod, StoredSecret } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/effects.ts';
import { decideImage } from '../../lifecycle/images/needs-pull.ts';
import { credentialsFor, joinedErrors } from '../../lifecycle/images/keyring.ts';
import { type PullRate, takePull } from '../../lifecycle/images/pull-rate.ts';
import { containerSource, type SourceRules } from '../../lifecycle/images/source.ts';
import type { ImageSettings } from '../../lifecycle/images/settings.ts';
import type { LayerKind, PullOutcome } from '../../lifecycle/images/types.ts';
import type { ImageMap } from '../../lifecycle/environment/entry-point.ts';
import type { EnsuredImage, ImageNeed } from '../../lifecycle/plan/image-need.ts';
import { pullingImage } from '../../lifecycle/plan/image-pull.ts';
import { pullSecretsMissing } from '../../lifecycle/texts/events.ts';
import { imageNeedsNamespaces } from '../../lifecycle/texts/image-errors.ts';
import type { ObjectReader } from '../../store/store.ts';
import type { ContainerImages, LaunchImage } from './container-images.ts';
import { goArch } from '../config/node.ts';
import type { AgentSettings } from '../setup/agent-settings.ts';
import type { ImageSupply } from './image-supply.ts';
import { secretKeyring } from './secret-keyring.ts';

interface NodeImagesOptions {
  readonly map: ImageMap;
  readonly rules: SourceRules;
  readonly settings: ImageSettings;
  /** Go's name of the processor. */
  readonly architecture: string;
  readonly store: ObjectReader;
  readonly clock: Clock;
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

/** The image manager of a node: images for containers and volumes, present or pulled. Source: pkg/kubelet/images. */
export class NodeImages implements ContainerImages {
  readonly #options: NodeImagesOptions;
  #kind: LayerKind | undefined;
  #rate: PullRate | undefined;

  constructor(options: NodeImagesOptions) {
    this.#options = options;
  }

  isImage(container: Container): boolean {
    const { map, rules } = this.#options;
    return containerSource(container, map, rules).type === 'image';
  }

  owners(): LayerKind {
    return this.#kind ?? 'root';
  }

  /** Finds the owners of the files of images here, for a Pod that has one. Rejects when podrun cannot unpack any. */
  async open({ spec }: StoredPod): Promise<void> {
    const { initContainers = [], containers, volumes = [] } = spec;
    const usesImages = [...initContainers, ...containers].some((each) => this.isImage(each));
    if (!usesImages && !volumes.some(({ image }) => image !== undefined)) return;
    if (this.#options.rules.tier === 'namespace') this.#kind ??= await (await this.#options.supply()).kind();
  }

  async imageOf({ image = '' }: Container): Promise<LaunchImage> {
    if (this.#options.rules.tier === 'process') throw new Error(imageNeedsNamespaces(image));
    const supply = await this.#options.supply();
    const present = supply.find(fullImageName(image) ?? '');
    if (present === undefined) throw new Error(`image ${JSON.stringify(image)} is not on this machine any more`);
    supply.used(present);
    this.#kind ??= await supply.kind();
    return { config: present.config.config ?? {}, root: { ...supply.layersOf(present), owners: this.#kind } };
  }

  /** Looks an image up, and pulls it when its policy asks for that. Never rejects. */
  async ensure(pod: StoredPod, call: EnsureCall): Promise<EnsuredImage> {
    const { need, mayPull } = call;
    const name = fullImageName(need.image) ?? need.image;
    try {
      const supply = await this.#options.supply();
      const present = supply.find(name);
      const decision = decideImage(need.pullPolicy, present);
      if (decision === 'never') return { type: 'absent' };
      if (decision === 'use') return { type: 'present' };
      return mayPull ? await this.#pull(pod, name, supply, call) : { type: 'backingOff' };
    } catch (error) {
      return { type: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  }

  async #pull(pod: StoredPod, name: string, supply: ImageSupply, call: EnsureCall): Promise<EnsuredImage> {
    const { clock, settings, architecture } = this.#options;
    const { need, signal, event } = call;
    const repository = splitVersion(name).name;
    event(pullingImage(need));
    const secrets = secretKeyring(this.#secretsOf(pod, event));
    const keyrings = [secrets, ...(await supply.userKeyrings(repository))];
    const credentials = credentialsFor(repository, keyrings);
    const beganMs = clock.now().monotonicMs;
    const kind = (this.#kind ??= await supply.kind());
    const outcome = await supply.inTurn(async (): Promise<PullOutcome> => {
      const rate = takePull(this.#rate, settings, clock.now().monotonicMs);
      if (rate === undefined) return { ok: false, errors: ['pull QPS exceeded'] };
      this.#rate = rate;
      const platform = { os: 'linux', architecture };
      return supply.pull({ name, platform, credentials, registries: settings.registries, kind }, signal);
    });
    if (!outcome.ok) return { type: 'failed', error: joinedErrors(outcome.errors) };
    const { image, pullMs } = outcome;
    return { type: 'pulled', size: image.size, pullMs, waitedMs: clock.now().monotonicMs - beganMs };
  }

  /** The Secrets that the Pod names and that are there. An event names the others. */
  #secretsOf({ metadata, spec }: StoredPod, event: (draft: EventDraft) => void): StoredSecret[] {
    const names = (spec.imagePullSecrets ?? []).flatMap(({ name }) => name || []);
    const found = names.map((name) => this.#options.store.get<StoredSecret>('secrets', metadata.namespace, name));
    const missing = names.filter((_, index) => found[index] === undefined);
    if (missing.length > 0) event(pullSecretsMissing(missing));
    return found.filter((secret) => secret !== undefined);
  }
}

/** The images of an agent's Pods. Undefined: all containers run programs of this machine. */
export function nodeImages({ settings, store, clock }: NodeImagesContext): NodeImages | undefined {
  const { images: map, imageSource: choice, imageSettings, features, hostEnv: env } = settings;
  const hasEntry = [...map.commandLine, ...map.configFile].some(({ pull }) => pull === true);
  if (choice === 'host' && !hasEntry) return undefined;
  let supply: Promise<ImageSupply> | undefined;
  return new NodeImages({
    map,
    rules: { choice, tier: features.tier },
    settings: imageSettings,
    architecture: goArch(),
    store,
    clock,
    supply: () =>
      (supply ??= import('./open-supply.ts').then(({ openSupply }) =>
        openSupply({ env, settings: imageSettings, clock }),
      )),
  });
}

interface NodeImagesContext {
  readonly settings: AgentSettings;
  readonly store: ObjectReader;
  readonly clock: Clock;
}
