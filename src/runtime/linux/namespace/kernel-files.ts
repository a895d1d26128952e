/*
 * Kernel files about the whole machine, visible in every /proc and /sys: they reveal facts of the machine or change it.
 */

/** Paths that are empty in containers. Source: pkg/securitycontext/util.go defaultMaskedPaths. */
export const MASKED_FILES: readonly string[] = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
];

/** Paths that are read-only in containers. Source: pkg/securitycontext/util.go defaultReadonlyPaths. */
export const READ_ONLY_FILES: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
];

/** Sockets of container engines: a client is root of the machine, or the user of the engine. */
export function engineSockets(uid: number, home: string): string[] {
  return [
    '/run/docker.sock',
    '/run/containerd/containerd.sock',
    '/run/podman/podman.sock',
    '/run/crio/crio.sock',
    `/run/user/${uid}/docker.sock`,
    `/run/user/${uid}/podman/podman.sock`,
    `${home}/.docker/run/docker.sock`,
    `${home}/.docker/desktop/docker.sock`,
  ];
}
