import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import path from 'node:path';
import { effectiveSecurity, type OwnRights, profileUnreadable, wantedCapabilities } from '../../lifecycle/index.ts';
import {
  compileProfile,
  DEFAULT_PROFILE,
  fileTrouble,
  parseProfile,
  resolveProfile,
  type SeccompProfile,
} from '../../runtime/index.ts';
import type { LaunchStep, OciOf, StepOutcome } from './step.ts';

/**
 * Gives a container the filter of system calls that its profile is: an OCI runtime gets the filter, podrun's own
 * containers its program. Without a profile there is none, as under a kubelet, but an OCI runtime has the default one.
 * A privileged container has none. Source: containerd, internal/cri/server/container_create_linux.go.
 * @param root the folder of the profiles of type Localhost
 */
export function seccompStep(root: string, rights: () => OwnRights, ociOf: OciOf): LaunchStep {
  return {
    prepare(input) {
      const hasOci = ociOf(input.pod) !== undefined;
      const { seccompProfile, privileged, capabilities } = effectiveSecurity(input.pod.spec, input.container);
      const type = seccompProfile?.type ?? (hasOci ? 'RuntimeDefault' : 'Unconfined');
      // An event says that nothing can load a filter here.
      if (privileged || type === 'Unconfined' || !(hasOci || rights().canFilterCalls)) return NO_FILTER;
      const place = { capabilities: wantedCapabilities(capabilities), machine: process.arch, kernel: release() };
      const file = path.join(root, seccompProfile?.localhostProfile ?? '');
      try {
        const profile = type === 'Localhost' ? readProfile(file) : DEFAULT_PROFILE;
        if (hasOci) return { ok: true, changes: { filter: resolveProfile(profile, place) } };
        return { ok: true, changes: { seccomp: compileProfile(profile, place).program } };
      } catch (error) {
        return { ok: false, stage: 'create', message: profileUnreadable(file, fileTrouble(error)) };
      }
    },
  };
}

const NO_FILTER: StepOutcome = { ok: true, changes: {} };

/** @throws {Error} for a missing file, and for one that is no profile */
function readProfile(file: string): SeccompProfile {
  return parseProfile(readFileSync(file, 'utf8'));
}
