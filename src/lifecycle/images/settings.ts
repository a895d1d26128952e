import type { RegistrySettings } from './types.ts';

/** The settings of podrun.yaml for images. Plain data. */
export interface ImageSettings {
  /** The pulls at the same time. Undefined: any number. */
  readonly parallelPulls: number | undefined;
  /** Pulls per second. 0: any number. */
  readonly pullQps: number;
  /** Pulls at once that `pullQps` permits after a pause. */
  readonly pullBurst: number;
  readonly registries: Readonly<Record<string, RegistrySettings>>;
}

/** Source: pkg/kubelet/apis/config/v1beta1/defaults.go. */
export const DEFAULT_IMAGE_SETTINGS: ImageSettings = {
  parallelPulls: 1,
  pullQps: 5,
  pullBurst: 10,
  registries: {},
};
