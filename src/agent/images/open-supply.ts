import { homedir } from 'node:os';
import type { Clock } from '../../clock.ts';
import { userKeyrings } from '../../images/credentials/user-keyring.ts';
import { findLayerKind } from '../../images/owner-kind.ts';
import { pullImage } from '../../images/pull.ts';
import { Slots } from '../../images/slots.ts';
import { Uses } from '../../images/store/uses.ts';
import { ImageStore } from '../../images/store/image-store.ts';
import { formatTime } from '../../api/time.ts';
import type { ImageSettings } from '../../lifecycle/images/settings.ts';
import type { ImageSupply } from './image-supply.ts';

interface SupplyOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly settings: Pick<ImageSettings, 'parallelPulls'>;
  readonly clock: Clock;
}

/** The images of podrun's user: those of the store, and those of registries. Loaded when a container needs an image. */
export function openSupply({ env, settings, clock }: SupplyOptions): ImageSupply {
  const store = new ImageStore(ImageStore.folder(env, homedir()));
  const turns = settings.parallelPulls === undefined ? undefined : new Slots(settings.parallelPulls);
  const uses = new Uses(store.root);
  const inUse = new Set<string>();
  let kind: ReturnType<typeof findLayerKind> | undefined;
  return {
    find: (name) => store.find(name),
    layersOf: (image) => ({ folder: store.mountFolder(image.manifest), layers: store.layerLinks(image).length }),
    kind: () => (kind ??= findLayerKind()),
    pull: (request, signal) => pullImage(request, { store, clock, env, onProgress: () => undefined, signal }),
    userKeyrings: (repository) => userKeyrings(repository, env, homedir()),
    inTurn: (work) => (turns === undefined ? work() : turns.run(work)),
    used: ({ name, manifest, config }) => {
      if (!inUse.has(manifest))
        uses.declare({ images: { [manifest]: ['a podrun that runs'] }, layers: config.rootfs.diff_ids });
      inUse.add(manifest);
      store.touch(name, formatTime(clock.now().wallMs));
    },
  };
}
