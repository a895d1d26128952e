import { JOB_BACKOFF } from '../../controllers/index.ts';
import { type BackOffLimits, CRASH_LOOP } from '../../lifecycle/plan/back-off.ts';
import type { ApplySession } from './session.ts';

/** Warns of flags without effect: the process that runs a Pod or workload has its own settings. */
export function warnOfIdleFlags({ flags, plan: { crashLoop, jobBackOff }, view }: ApplySession): void {
  const given = [
    ...(flags.image.length > 0 ? ['--image'] : []),
    ...(flags.config === undefined ? [] : ['--config']),
    ...(flags.runtime === undefined ? [] : ['--runtime']),
    ...(flags.images === undefined ? [] : ['--images']),
    ...(flags.imageCredentialProviderConfig === undefined ? [] : ['--image-credential-provider-config']),
    ...(flags.enforceMemory === undefined ? [] : ['--enforce-memory']),
    ...(flags.network === undefined ? [] : ['--network']),
    ...changedLimits('--backoff', crashLoop, CRASH_LOOP),
    ...changedLimits('--job-backoff', jobBackOff, JOB_BACKOFF),
  ];
  if (given.length > 0) view.trouble(`these flags have no effect on running Pods: ${given.join(', ')}`);
}

function changedLimits(flag: string, given: BackOffLimits, usual: BackOffLimits): string[] {
  return [
    ...(given.initialMs === usual.initialMs ? [] : [`${flag}-initial`]),
    ...(given.maxMs === usual.maxMs ? [] : [`${flag}-max`]),
  ];
}
