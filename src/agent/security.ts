import type { Container } from '../api/generated/types.ts';
import { allContainers, type StoredPod } from '../api/objects.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import {
  type Complaint,
  judgeSecurity,
  refusalOf,
  type SecurityVerdict,
} from '../lifecycle/security/judge-security.ts';
import type { OwnRights } from '../lifecycle/security/own-rights.ts';
import type { RunAs } from '../lifecycle/security/run-as.ts';
import { volumeGroup } from '../lifecycle/security/volume-group.ts';
import { fieldHasNoEffect } from '../lifecycle/texts/events.ts';
import { securityRefused, volumeOutOfReach, REMEDY } from '../lifecycle/texts/security.ts';
import type { Mounted } from '../lifecycle/volumes/volume-mounts.ts';
import { canReach } from './reach.ts';

export interface SecurityOptions {
  readonly rights: () => OwnRights;
  /** True when a container starts without the security settings that podrun must refuse: an event names them. */
  readonly isBestEffort: boolean;
}

type Refusal = NonNullable<ReturnType<typeof refusalOf>>;

/** Decides which user and rights the containers of Pods get here. */
export class Security {
  readonly #options: SecurityOptions;

  constructor(options: SecurityOptions) {
    this.#options = options;
  }

  /** The user and the rights of a container, or the reason to refuse it. */
  judge(pod: StoredPod, container: Container): SecurityVerdict | Refusal {
    const verdict = judgeSecurity(pod.spec, container, this.#options.rights());
    return refusalOf(pod, container, verdict, this.#options.isBestEffort) ?? verdict;
  }

  /** The events about security settings that containers ask for and do not get: one for each. */
  notices({ spec }: StoredPod): EventDraft[] {
    const { rights, isBestEffort } = this.#options;
    const paths = new Map<string, Set<string>>();
    for (const container of allContainers(spec)) {
      const { notices, refusals } = judgeSecurity(spec, container, rights());
      for (const { path, note } of isBestEffort ? [...refusals, ...notices] : notices) {
        const known = paths.get(note) ?? new Set();
        paths.set(note, known.add(path));
      }
    }
    return [...paths].map(([note, places]) => fieldHasNoEffect({ paths: [...places], note }));
  }

  /** The gid that owns the volumes of a Pod on this machine. Undefined: none. */
  volumeGroup({ spec }: StoredPod): number | undefined {
    return volumeGroup(spec, this.#options.rights());
  }

  /**
   * Refuses mounts that the container's user cannot reach. In the process tier a container uses the folders of volumes
   * where they are on the host.
   */
  refuseMounts(identity: RunAs | undefined, mounts: readonly Mounted[]): Refusal | undefined {
    const { rights, isBestEffort } = this.#options;
    const { tier, gid } = rights();
    if (identity?.uid === undefined || identity.uid === 0 || tier === 'namespace' || isBestEffort) return undefined;
    const { uid, groups = [] } = identity;
    const who = { uid, groups: [identity.gid ?? gid, ...groups] };
    const beyond = mounts.filter(({ source, isAtMountPath }) => !isAtMountPath && !canReach(source, who));
    if (beyond.length === 0) return undefined;
    const complaints = beyond.map(({ volume, source }): Complaint => {
      return { path: `volume ${volume}`, note: volumeOutOfReach(source, uid), remedy: REMEDY.namespaces };
    });
    return { stage: 'create', message: securityRefused(complaints) };
  }

  /**
   * The inherited variables, adjusted to the container's user.
   * Source: containerd sets HOME as the image's /etc/passwd has it, and no name.
   */
  ownVariables(identity: RunAs | undefined, inherited: Readonly<Record<string, string>>): Record<string, string> {
    if (identity?.uid === undefined) return { ...inherited };
    const { USER: _user, LOGNAME: _logname, SHELL: _shell, ...others } = inherited;
    return { ...others, HOME: this.#options.rights().account(identity.uid)?.home ?? '/' };
  }
}
