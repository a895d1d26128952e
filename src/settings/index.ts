export { type AgentSettings, METRICS_INTERVAL_MS, nodeSettings, workFolders } from './agent-settings.ts';
export { type ConfigFile, readConfigFile } from './config/config-file.ts';
export { readCredentialProviders } from './config/credential-providers.ts';
export { imageSource, judgeImages, makeImageMap } from './config/image-map.ts';
export { nodesAlike, NODES_MAX, splitNodes } from './config/declared-nodes.ts';
export { ClusterNodes, type NodeSettings } from './config/cluster-nodes.ts';
export {
  addNode,
  type DeclaredNode,
  declareNode,
  declareNodes,
  hasDeclaredNodes,
  hasKubelet,
  hasSeveralNodes,
  isDeclared,
  type KubeletState,
  crashCount,
  kubeletState,
  type NodeRecord,
  nodeRecord,
  registeredNode,
  reportAddress,
  reportHeartbeat,
  reportShutdown,
  reportPressure,
  setCordoned,
  setKubeletState,
  shutdownSeconds,
} from './config/node-record.ts';
export { hasImage, listImage } from './config/listed-images.ts';
export { splitWords } from './config/split-words.ts';
export { goArch, readNode } from './config/this-node.ts';
export { readOwnRights } from './own-rights.ts';
