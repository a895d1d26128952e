import { existsSync } from 'node:fs';
import path from 'node:path';
import { homeFolder } from '../../user.ts';
import { imagesFolder, type OnPull } from '../../images/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import { allContainers } from '../../api/index.ts';
import { containerSource } from '../../lifecycle/index.ts';
import type { ApplySession } from './session.ts';

type Tellers = Pick<ApplySession, 'cli' | 'settings' | 'view'>;

/** Passes pulls to the view. Tells once in the life of the image store that podrun asks registries by itself. */
export function firstPullTeller(session: Tellers): OnPull {
  let isTold = !mustTell(session);
  return (notice) => {
    if (!isTold) tell(session, notice.image);
    isTold = true;
    session.view.pull(notice);
  };
}

/** Tells the same about the Pods that a background agent is going to run. */
export function tellOfFirstPull(session: ApplySession, { images, imageSource, features }: AgentSettings): void {
  if (!mustTell(session)) return;
  const rules = { choice: imageSource, tier: features.tier };
  const containers = session.planned.flatMap(({ spec }) => allContainers(spec));
  const pulled = containers.find((container) => containerSource(container, images, rules).type === 'image');
  if (pulled !== undefined) tell(session, pulled.image ?? '');
}

function tell({ cli }: Pick<Tellers, 'cli'>, image: string): void {
  cli.note(`pulling ${image}: nothing else says what to run (--images=host never pulls)`);
}

/** True unless the user has chosen, or has pulled images before. */
function mustTell({ cli, settings }: Tellers): boolean {
  const store = path.join(imagesFolder(cli.env, homeFolder()), 'images');
  return settings.imageSource === 'auto' && !existsSync(store);
}
