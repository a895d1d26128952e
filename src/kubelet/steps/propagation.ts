import type { Container } from '../../api/index.ts';
import { absoluteMountPath, fieldHasNoEffect, type OwnRights } from '../../lifecycle/index.ts';
import { type Mount, mountTie } from '../../runtime/index.ts';
import type { LaunchStep, OciOf } from './step.ts';

/**
 * Looks which volumes can follow the mounts of the host, and be followed by them. An event reports the rest, which
 * keep the mounts of the start.
 */
export function propagationStep(rights: () => OwnRights, ociOf: OciOf): LaunchStep {
  return {
    prepare({ pod, container }, { mounts, notices }) {
      if (mounts.every(({ propagation }) => propagation === undefined)) return { ok: true, changes: {} };
      const { tier, isInUserNamespace } = rights();
      if (tier !== 'namespace') return { ok: true, changes: {} };
      const lackOf = (mount: Mount): string | undefined => {
        if (ociOf(pod) !== undefined) return 'the mounts of a container of an OCI runtime are private';
        if (mount.propagation === 'both ways' && isInUserNamespace) return 'only root can mount for this machine';
        return untied(mount);
      };
      const lacks = mounts.map((mount) => (mount.propagation === undefined ? undefined : lackOf(mount)));
      const events = lacks.flatMap((note, at) =>
        note === undefined ? [] : [fieldHasNoEffect({ paths: [pathOf(container, mounts[at]?.target)], note })],
      );
      const usable = mounts.map((mount, at) =>
        lacks[at] === undefined ? mount : { ...mount, propagation: undefined },
      );
      return { ok: true, changes: { mounts: usable, notices: [...notices, ...events] } };
    },
  };
}

/**
 * The reason in containerd's words why a mount of the host passes nothing on. Undefined: it does.
 * Source: containerd, pkg/oci/mounts ensureShared, ensureSharedOrSlave.
 */
function untied({ source, propagation }: Mount): string | undefined {
  const { at, isShared, isSlave } = mountTie(source);
  if (isShared || (isSlave && propagation === 'from host')) return undefined;
  const kind = propagation === 'from host' ? 'shared or slave' : 'shared';
  return `path ${JSON.stringify(source)} is mounted on ${JSON.stringify(at)} but it is not a ${kind} mount`;
}

function pathOf({ name, volumeMounts = [] }: Container, target: string | undefined): string {
  const index = volumeMounts.findIndex(({ mountPath }) => absoluteMountPath(mountPath) === target);
  return `volumeMounts[${index}].mountPropagation of container ${name}`;
}
