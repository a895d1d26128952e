export { clusterImages } from './cluster-images.ts';
export { ClusterConnection } from './connection.ts';
export { ClusterRun } from './cluster-run.ts';
export { FORWARDED_HOST, PortForwards } from './port-forwards.ts';
export { removeLeftovers } from './run-record.ts';
