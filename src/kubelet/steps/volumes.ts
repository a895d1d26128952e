import {
  atMountPaths,
  type Complaint,
  type Mounted,
  notAtMountPath,
  type OwnRights,
  REMEDY,
  securityRefused,
  volumeNotAtMountPath,
  volumeOutOfReach,
  volumeVariables,
} from '../../lifecycle/index.ts';
import { isApiAccess } from '../../manifest/index.ts';
import type { Identity, Mount } from '../../runtime/index.ts';
import { canReach } from '../volumes/inside-volume.ts';
import type { LaunchStep } from './step.ts';

/**
 * Finds the container's volumes. Without namespaces they lie elsewhere than the manifest says: variables name their
 * places, and an event tells so.
 * @param isBestEffort true: a user who cannot reach a volume runs without it
 */
export function volumesStep(rights: () => OwnRights, isBestEffort: boolean): LaunchStep {
  return {
    prepare({ container, sandbox: { volumes } }, { variables, identity, defaults, notices }) {
      if (volumes === undefined) return { ok: true, changes: {} };
      const outcome = volumes.mount(container, variables);
      if (!outcome.ok) return { ok: false, stage: 'config', message: outcome.message };
      const { tier, gid } = rights();
      const places = tier === 'namespace' ? atMountPaths(outcome.mounts) : outcome.mounts;
      // Programs look for these files at one place only: a variable with another path would not help.
      const wanted = places.filter(({ volume }) => !isApiAccess(volume));
      const beyond = isBestEffort ? [] : outOfReach(wanted, identity, gid);
      if (beyond.length > 0) return { ok: false, stage: 'create', message: securityRefused(beyond) };
      const unmounted = wanted.filter(({ isAtMountPath }) => !isAtMountPath);
      const moved = unmounted.map((mount) => volumeNotAtMountPath(container.name, notAtMountPath(mount)));
      return {
        ok: true,
        changes: {
          mounts: outcome.mounts.map(asMount),
          volumePlaces: tier === 'namespace' ? [] : places.map(({ mountPath, source }) => ({ mountPath, source })),
          defaults: { ...defaults, ...volumeVariables(wanted) },
          notices: [...notices, ...moved],
        },
      };
    },
  };
}

function asMount({ source, mountPath, isReadOnly, identity, image, propagation }: Mounted): Mount {
  return { source, target: mountPath, isReadOnly, identity, image, propagation };
}

/**
 * The mounts that the container's user cannot reach. In the process tier a container uses the folders of volumes where
 * they are on the host.
 */
function outOfReach(mounts: readonly Mounted[], identity: Identity | undefined, ownGid: number): Complaint[] {
  const { uid, gid = ownGid, groups = [] } = identity ?? {};
  if (!uid) return [];
  const who = { uid, groups: [gid, ...groups] };
  return mounts
    .filter(({ source, isAtMountPath }) => !isAtMountPath && !canReach(source, who))
    .map(({ volume, source }) => ({
      path: `volume ${volume}`,
      note: volumeOutOfReach(source, uid),
      remedy: REMEDY.namespaces,
    }));
}
