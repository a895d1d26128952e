import type { ControllerEvent } from '../base/reconcile.ts';
import { normal, warning } from './pods.ts';

/** Source: pkg/controller/volume/persistentvolume/pv_controller_base.go; the provisioner is podrun's own. */
export const VOLUME_COMPONENT = 'persistentvolume-controller';

/** A claim has got a new volume. Source: sigs.k8s.io/sig-storage-lib-external-provisioner/controller. */
export function provisioned(volume: string): ControllerEvent {
  return normal('ProvisioningSucceeded', `Successfully provisioned volume ${volume}`);
}

/** No volume fits a claim, and none is made for it. Source: pv_controller.go syncUnboundClaim. */
export function noVolume(): ControllerEvent {
  return normal('FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
}

/** A claim gets its volume when its first Pod is placed. Source: pv_controller.go syncUnboundClaim. */
export function noConsumer(): ControllerEvent {
  return normal('WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
}

/** A claim whose class makes no volumes. Source: pv_controller.go findProvisionablePlugin. */
export function noProvisioner(provisioner: string): ControllerEvent {
  return warning('ProvisioningFailed', `no volume plugin matched name: ${provisioner}`);
}

/**
 * The event of a claim with a selector, which gets no new volume. The text is podrun's own, the reason a
 * provisioner's.
 */
export function noVolumeWithLabels(): ControllerEvent {
  return warning(
    'ProvisioningFailed',
    'no PersistentVolume matches the selector of the claim, and none is made for a selector',
  );
}

/** The volume that a claim names does not fit. Source: pv_controller.go syncUnboundClaim. */
export function volumeMisfit(volume: string, why: keyof typeof MISMATCH): ControllerEvent {
  return warning('VolumeMismatch', `Cannot bind to requested volume "${volume}": ${MISMATCH[why]}`);
}

/** Source: pv_controller.go syncUnboundClaim. */
export function volumeTaken(volume: string): ControllerEvent {
  return warning('FailedBinding', `volume "${volume}" already bound to a different claim.`);
}

/** Source: pv_controller.go checkVolumeSatisfyClaim. */
const MISMATCH = {
  size: 'requested PV is too small',
  class: 'storageClassName does not match',
  mode: 'incompatible volumeMode',
  access: 'incompatible accessMode',
} as const;

/** The volume of a claim is gone. Source: pv_controller.go syncBoundClaim. */
export function claimLost(): ControllerEvent {
  return warning('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
}

/** The message of a volume that podrun does not remove. Source: pv_controller.go deleteVolumeOperation. */
export function noDeleter(volume: string): string {
  return `error getting deleter volume plugin for volume "${volume}": no deletable volume plugin matched`;
}

/** Source: pv_controller.go deleteVolumeOperation. */
export function deletionFailed(volume: string): ControllerEvent {
  return warning('VolumeFailedDelete', noDeleter(volume));
}
