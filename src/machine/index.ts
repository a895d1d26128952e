export type { KernelSetting, MachineFeature, MachineFinding, MachineReport, Obstacle } from './abilities.ts';
export {
  DEFAULT_NETWORK,
  EGRESS_CHOICES,
  type EgressChoice,
  hasOwnNetworks,
  NETWORK_CHOICES,
  type NetworkChoice,
  PROXY_CHOICES,
  type ProxyChoice,
} from './network-choice.ts';
export { obstacleText } from './obstacle.ts';
export { RUNTIME_CHOICES, type RuntimeChoice } from './runtime-choice.ts';
export { unmetText } from './unmet.ts';
export type { RecordedUsage, UsageTotals } from './usage-totals.ts';
