import { describe, expect, it } from 'vitest';
import { refusedIdentity } from '../../src/agent/identity.ts';
import type { PodSecurityContext, SecurityContext } from '../../src/api/generated/types.ts';
import { newPod } from '../simulation/pod-simulation.ts';

const root = { uid: 0, gid: 0 };
const user = { uid: 1000, gid: 1000 };

function refusal(own: typeof root, podContext: PodSecurityContext, containerContext: SecurityContext) {
  const container = { name: 'main', image: 'app', securityContext: containerContext };
  return refusedIdentity(newPod({ securityContext: podContext, containers: [container] }), container, own);
}

describe('refusedIdentity()', () => {
  it.each([
    { name: 'nothing is asked', own: root, pod: {}, container: {} },
    { name: 'it is what podrun is', own: user, pod: { runAsUser: 1000, runAsGroup: 1000 }, container: {} },
    { name: 'not to be root is asked of a user', own: user, pod: { runAsNonRoot: true }, container: {} },
    { name: 'the container overrules the Pod', own: user, pod: { runAsUser: 5 }, container: { runAsUser: 1000 } },
  ])('has nothing against a container when $name', ({ own, pod, container }) => {
    expect(refusal(own, pod, container)).toBeUndefined();
  });

  it.each([
    {
      name: 'must not be root and would be',
      own: root,
      pod: { runAsNonRoot: true },
      container: {},
      says: 'container has runAsNonRoot and image will run as root (pod: "web_default(u1)", container: main)',
    },
    {
      name: 'must not be root and says it is',
      own: user,
      pod: { runAsNonRoot: true },
      container: { runAsUser: 0 },
      says: `container's runAsUser breaks non-root policy (pod: "web_default(u1)", container: main)`,
    },
    {
      name: 'wants to be another user',
      own: root,
      pod: {},
      container: { runAsUser: 1001 },
      says: 'securityContext.runAsUser is 1001, but podrun runs containers as its own user, 0',
    },
    {
      name: 'wants to be in another group',
      own: user,
      pod: { runAsGroup: 5 },
      container: {},
      says: 'securityContext.runAsGroup is 5, but podrun runs containers as its own group, 1000',
    },
  ])('refuses a container that $name', ({ own, pod, container, says }) => {
    expect(refusal(own, pod, container)).toBe(says);
  });
});
