import { homeFolder } from '../../user.ts';
import type { Clock } from '../../clock.ts';
import { formatTime } from '../../api/index.ts';
import { CredentialProviders } from '../credentials/providers.ts';
import { userKeyrings } from '../credentials/user-keyring.ts';
import { findLayerKind, imagesFolder } from '../pull/images-folder.ts';
import { ImagePuller } from '../puller/image-puller.ts';
import { Slots } from '../pull/slots.ts';
import { collectImages } from '../store/collect.ts';
import { ImageStore } from '../store/image-store.ts';
import { PullRecords } from '../store/pull-records.ts';
import { Uses } from '../store/uses.ts';
import type { ImageSettings } from '../../lifecycle/index.ts';
import type { ImageSupply } from './image-supply.ts';

interface SupplyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Pick<ImageSettings, 'parallelPulls' | 'providers' | 'garbage'>;
  readonly clock: Clock;
  /** The file of containers that outlive podrun, see Use. */
  readonly until?: string | undefined;
}

/** The images of podrun's user: images of the store, and of registries. Loaded when a container needs an image. */
export function openSupply({ env, settings, clock, until }: SupplyOptions): ImageSupply {
  const store = new ImageStore(imagesFolder(env, homeFolder()));
  const turns = settings.parallelPulls === undefined ? undefined : new Slots(settings.parallelPulls);
  const uses = new Uses(store.root);
  const puller = new ImagePuller(store.root, env);
  const providers = new CredentialProviders(settings.providers, env, clock);
  let kind: ReturnType<typeof findLayerKind> | undefined;
  return {
    find: (name) => store.find(name),
    hold: (name, user) => {
      const record = store.record(name);
      if (record === undefined) return undefined;
      // First the use: who removes images looks for uses after he has taken something away.
      const release = uses.declare({ images: { [record.manifest]: [user] }, layers: record.diffIds, until });
      const image = store.find(name);
      if (image?.manifest === record.manifest) return { image, release };
      release();
      return undefined;
    },
    layersOf: (image) => ({ folder: store.mountFolder(image.manifest), layers: store.layerLinks(image).length }),
    kind: () => {
      kind ??= findLayerKind();
      // A busy machine, or a full one, may be able to when it is asked again.
      kind.catch(() => (kind = undefined));
      return kind;
    },
    pull: (request, options) => puller.pull(request, options),
    userKeyrings: async (repository) => {
      const [ofUser, ofProviders] = await Promise.all([
        userKeyrings(repository, env, homeFolder()),
        providers.keyrings(repository),
      ]);
      return [...ofUser, ...ofProviders];
    },
    inTurn: (work) => (turns === undefined ? work() : turns.run(work)),
    used: ({ name }) => store.touch(name, formatTime(clock.now().wallMs)),
    collect: () => collectImages(store, { settings: settings.garbage, nowMs: clock.now().wallMs }),
    records: new PullRecords(store),
  };
}
