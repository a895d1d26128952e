import { podFullName, type StoredPod } from '../api/objects.ts';
import type { Container } from '../api/generated/types.ts';

/** The user and the group that podrun itself runs as. */
export interface OwnIdentity {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Containers run as whoever runs podrun. One that asks for somebody else, or not to be root, is told why it does not
 * start: what keeps people safe is never left out silently.
 * Source of the texts of runAsNonRoot: pkg/kubelet/kuberuntime/security_context.go verifyRunAsNonRoot.
 */
export function refusedIdentity(pod: StoredPod, container: Container, own: OwnIdentity): string | undefined {
  const asked = { ...definedOnly(pod.spec.securityContext), ...definedOnly(container.securityContext) };
  const { runAsUser, runAsGroup, runAsNonRoot } = asked;
  const who = `(pod: "${podFullName(pod.metadata)}", container: ${container.name})`;
  if (runAsNonRoot === true && runAsUser === 0) return `container's runAsUser breaks non-root policy ${who}`;
  if (runAsNonRoot === true && (runAsUser ?? own.uid) === 0) {
    return `container has runAsNonRoot and image will run as root ${who}`;
  }
  if (runAsUser !== undefined && runAsUser !== own.uid) {
    return `securityContext.runAsUser is ${runAsUser}, but podrun runs containers as its own user, ${own.uid}`;
  }
  if (runAsGroup !== undefined && runAsGroup !== own.gid) {
    return `securityContext.runAsGroup is ${runAsGroup}, but podrun runs containers as its own group, ${own.gid}`;
  }
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
