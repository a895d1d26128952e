import { Option } from 'commander';

/** The flag of commands that also look at what ran on a cluster. */
export interface ContextFlags {
  /** The context of the kubeconfig. Undefined: this machine. */
  readonly context?: string;
}

/** Makes the option `--context`: what `podrun apply --context` has recorded of a cluster instead of this machine. */
export function contextOption(): Option {
  return new Option('--context <name>', 'what podrun apply --context has run on the cluster of this context');
}
