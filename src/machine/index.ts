export {
  type KernelSetting,
  type MachineFeature,
  type MachineFinding,
  type MachineReport,
  type Obstacle,
  RUNTIME_CHOICES,
  type RuntimeChoice,
} from './abilities.ts';
export {
  DEFAULT_NETWORK,
  EGRESS_CHOICES,
  type EgressChoice,
  hasOwnNetworks,
  NETWORK_CHOICES,
  type NetworkChoice,
  DEFAULT_PROXY,
  PROXY_CHOICES,
  type ProxyChoice,
} from './network-choice.ts';
export { obstacleText, unmetText } from './unmet.ts';
export type { RecordedUsage, UsageTotals } from './usage-totals.ts';
