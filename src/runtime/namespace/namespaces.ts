import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Confinement } from '../confinement.ts';
import type { NamespaceFacts } from '../features.ts';
import type { Confiner, Inside, InsideOutcome } from '../inside.ts';
import type { ContainerLaunch } from '../runtime.ts';
import { containerView } from './container-view.ts';
import { fstabText } from './fstab.ts';
import { type Holder, startHolder } from './holder.ts';
import { readHostMounts } from './host-mounts.ts';
import { removeLayer } from './layers.ts';
import { NamespacedInside } from './namespaced-inside.ts';
import { PodHolders } from './pod-holders.ts';
import type { View } from './view.ts';

export interface NamespacesOptions {
  readonly facts: NamespaceFacts;
  readonly clock: Clock;
  /** No inside could be made: what was found out about the machine may no longer be so. */
  readonly onFailure?: () => void;
}

/** Keeps containers apart from the machine, and from each other, by namespaces of the kernel. */
export class Namespaces implements Confiner {
  readonly #options: NamespacesOptions;
  readonly #pods: PodHolders;
  readonly #open = new Set<Inside>();

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#pods = new PodHolders(options.facts);
  }

  async open(launch: ContainerLaunch): Promise<InsideOutcome> {
    const { confinement } = launch;
    if (confinement === undefined) throw new Error('a container without a view cannot be kept apart');
    try {
      const inside = await this.#make(launch, confinement);
      this.#open.add(inside);
      return { ok: true, inside };
    } catch (error) {
      this.#options.onFailure?.();
      return { ok: false, error: error instanceof Error ? error.message : String(error) };
    }
  }

  killAll(): void {
    for (const inside of this.#open) inside.kill();
    this.#pods.killAll();
  }

  async #make(launch: ContainerLaunch, confinement: Confinement): Promise<Inside> {
    const { facts, clock } = this.#options;
    const { layerDir, pod } = confinement;
    const base = await this.#pods.join(pod, layerDir);
    let view: View | undefined;
    try {
      view = containerView({ confinement, facts, hostMounts: readHostMounts(), sharedMemory: base?.sharedMemory });
      const holder = await this.#hold(launch, { confinement, view, base: base?.holder });
      const { madeOnHost } = view;
      const inside = new NamespacedInside({
        holder,
        facts,
        clock,
        hasOwnProcesses: !pod.hostProcesses && !pod.sharesProcesses,
        seesHostProcesses: pod.hostProcesses,
        hasOwnMemory: !pod.hostIPC,
        strictPid1: confinement.strictPid1,
        onGone: async () => {
          this.#open.delete(inside);
          await removeLayer(layerDir, madeOnHost);
          await this.#pods.leave(pod);
        },
      });
      return inside;
    } catch (error) {
      await removeLayer(layerDir, view?.madeOnHost ?? []);
      await this.#pods.leave(pod);
      throw error;
    }
  }

  #hold(
    { id }: ContainerLaunch,
    { confinement: { layerDir, pod }, view, base }: { confinement: Confinement; view: View; base: Holder | undefined },
  ): Promise<Holder> {
    const { facts } = this.#options;
    const fstab = path.join(layerDir, 'fstab');
    writeFileSync(fstab, fstabText(view.entries));
    const isJoined = base !== undefined;
    const hasOwnProcesses = !pod.hostProcesses && !pod.sharesProcesses;
    return startHolder({
      facts,
      id,
      own: [
        'mount',
        ...(isJoined ? [] : (['uts'] as const)),
        ...(isJoined || pod.hostIPC ? [] : (['ipc'] as const)),
        ...(hasOwnProcesses ? (['pid'] as const) : []),
      ],
      base: base && {
        holder: base,
        joined: [
          'mount',
          'uts',
          ...(pod.hostIPC ? [] : (['ipc'] as const)),
          ...(pod.sharesProcesses ? (['pid'] as const) : []),
        ],
      },
      hostname: isJoined ? undefined : pod.hostname,
      fstab,
      root: view.root,
    });
  }
}
