export { type AgentSettings, METRICS_INTERVAL_MS, nodeSettings, workFolders } from './agent-settings.ts';
export { type ConfigFile, readConfigFile } from './config/config-file.ts';
export { readCredentialProviders } from './config/credential-providers.ts';
export { imageSource, judgeImages, makeImageMap } from './config/image-map.ts';
export {
  nodeRecord,
  registeredNode,
  reportAddress,
  reportHeartbeat,
  reportPressure,
  setCordoned,
} from './config/node-record.ts';
export { splitWords } from './config/split-words.ts';
export { goArch, type NodeSettings, readNode, ThisNode } from './config/this-node.ts';
export { readOwnRights } from './own-rights.ts';
