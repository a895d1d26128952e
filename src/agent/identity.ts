import type { StoredPod } from '../api/objects.ts';
import type { Container } from '../api/generated/types.ts';
import { breaksNonRoot, otherIdentity, runsAsRoot } from '../lifecycle/texts/config-errors.ts';

/** The user and the group that podrun itself runs as. */
export interface OwnIdentity {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Containers run as whoever runs podrun. One that asks for somebody else, or not to be root, is told why it does not
 * start: what keeps people safe is never left out silently.
 */
export function refusedIdentity(pod: StoredPod, container: Container, own: OwnIdentity): string | undefined {
  const asked = { ...definedOnly(pod.spec.securityContext), ...definedOnly(container.securityContext) };
  const { runAsUser, runAsGroup, runAsNonRoot } = asked;
  const { metadata } = pod;
  if (runAsNonRoot === true && runAsUser === 0) return breaksNonRoot(metadata, container.name);
  if (runAsNonRoot === true && (runAsUser ?? own.uid) === 0) return runsAsRoot(metadata, container.name);
  if (runAsUser !== undefined && runAsUser !== own.uid) return otherIdentity('user', runAsUser, own.uid);
  if (runAsGroup !== undefined && runAsGroup !== own.gid) return otherIdentity('group', runAsGroup, own.gid);
  return undefined;
}

interface Asked {
  readonly runAsUser?: number | undefined;
  readonly runAsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
}

/** The container's context goes over the Pod's, field by field. */
function definedOnly(context: Asked = {}): Asked {
  const { runAsUser, runAsGroup, runAsNonRoot } = context;
  return Object.fromEntries(
    Object.entries({ runAsUser, runAsGroup, runAsNonRoot }).filter(([, value]) => value !== undefined),
  );
}
