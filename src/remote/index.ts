export type { ClusterAccess } from './client/index.ts';
export { clusterImages } from './cluster-images.ts';
export { ClusterRun, type ClusterRunOptions } from './cluster-run.ts';
export { foreignObjects } from './custom-objects.ts';
export { ClusterConnection } from './base/connection.ts';
export { FORWARDED_HOST, PortForwards } from './port-forwards.ts';
export { type PulledManifest, pullManifest } from './pull/pull-manifest.ts';
export { removeLeftovers } from './run-record.ts';
