import { formatTime, splitVersion } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  credentialsFor,
  type ImageSettings,
  type PullOutcome,
  type PullProgress,
  withAccess,
} from '../../lifecycle/index.ts';
import { goArch } from '../../settings/index.ts';
import type { ImageSupply } from './image-supply.ts';

/** Images that a user pulls ahead, with the user's own credentials: every Pod may use them. */
export class AheadImages {
  readonly #supply: ImageSupply;
  readonly #settings: Pick<ImageSettings, 'registries'>;
  readonly #clock: Clock;

  constructor(supply: ImageSupply, settings: Pick<ImageSettings, 'registries'>, clock: Clock) {
    this.#supply = supply;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Pulls an image. Rejects when podrun cannot unpack images here. @param name the full name */
  async pull(name: string, onProgress: (progress: PullProgress) => void): Promise<PullOutcome> {
    const { records, ...supply } = this.#supply;
    const { registries } = this.#settings;
    const repository = splitVersion(name).name;
    const kind = await supply.kind();
    const credentials = credentialsFor(repository, await supply.userKeyrings(repository));
    const end = records.begin(name);
    const request = { name, platform: { os: 'linux', architecture: goArch() }, credentials, registries, kind };
    const outcome = await supply.pull(request, { signal: new AbortController().signal, onProgress });
    if (outcome.ok) {
      const { configDigest } = outcome.image;
      const access = withAccess(records.accessOf(configDigest), repository, undefined);
      records.setAccess(configDigest, access, formatTime(this.#clock.now().wallMs));
    }
    end(outcome.ok ? 'known' : 'failed');
    return outcome;
  }
}
