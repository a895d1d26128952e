import { type Command, InvalidArgumentError } from 'commander';
import { newBudget, newPriority, newQuota } from '../../manifest/index.ts';
import type { RunVerb } from '../base/cli.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';

interface QuotaFlags extends CreateFlags {
  readonly hard: string;
  readonly scopes: string;
}

interface BudgetFlags extends CreateFlags {
  readonly selector: string;
  readonly minAvailable: string | undefined;
  readonly maxUnavailable: string | undefined;
}

interface PriorityFlags extends CreateFlags {
  readonly value: number;
  readonly globalDefault: boolean;
  readonly description: string;
  readonly preemptionPolicy: string;
}

/** `podrun create quota`, `poddisruptionbudget` and `priorityclass`. */
export function addPolicies(group: Command, run: RunVerb): void {
  withCreateFlags(group.command('quota').alias('resourcequota').usage('NAME [--hard=LIST] [--scopes=LIST] [flags]'))
    .summary('Create a ResourceQuota')
    .description('Creates a ResourceQuota: what the Pods of a namespace may use together.')
    .argument('[name...]', 'its name')
    .option('--hard <list>', 'the limits, for example cpu=1,pods=2', '')
    .option('--scopes <list>', 'the Pods that it counts, for example BestEffort', '')
    .addHelpText('after', '\nExamples:\n  podrun create quota small --hard=cpu=4,memory=8Gi,pods=20\n')
    .action((words: string[], flags: QuotaFlags) =>
      run((cli) => {
        const object = newQuota(onlyName('create quota', words), flags.hard, flags.scopes);
        return createFromFlags(cli, { object, failing: 'failed to create quota: ' }, flags);
      }),
    );
  const usage = 'NAME --selector=QUERY (--min-available=N | --max-unavailable=N) [flags]';
  withCreateFlags(group.command('poddisruptionbudget').alias('pdb').usage(usage))
    .summary('Create a PodDisruptionBudget')
    .description('Creates a PodDisruptionBudget: how many Pods an eviction has to leave.')
    .argument('[name...]', 'its name')
    .option('--selector <query>', 'the labels of the Pods, for example app=web', '')
    .option('--min-available <count>', 'the Pods that have to stay, a number or a percentage')
    .option('--max-unavailable <count>', 'the Pods that may be missing, a number or a percentage')
    .addHelpText(
      'after',
      '\nExamples:\n  podrun create poddisruptionbudget web --selector=app=web --min-available=50%\n',
    )
    .action((words: string[], flags: BudgetFlags) =>
      run((cli) => {
        const object = newBudget({ ...flags, name: onlyName('create poddisruptionbudget', words) });
        return createFromFlags(cli, { object, failing: 'failed to create poddisruptionbudgets: ' }, flags);
      }),
    );
  addPriority(group, run);
}

function addPriority(group: Command, run: RunVerb): void {
  withCreateFlags(group.command('priorityclass').alias('pc').usage('NAME --value=NUMBER [flags]'))
    .summary('Create a PriorityClass')
    .description('Creates a PriorityClass.')
    .argument('[name...]', 'its name')
    .option('--value <number>', 'the priority of its Pods', wholeNumber, 0)
    .option('--global-default', 'the priority of Pods without a class', false)
    .option('--description <text>', 'what it is for', '')
    .option('--preemption-policy <policy>', 'PreemptLowerPriority or Never', 'PreemptLowerPriority')
    .addHelpText('after', '\nExamples:\n  podrun create priorityclass urgent --value=1000 --description=first\n')
    .action((words: string[], flags: PriorityFlags) =>
      run((cli) => {
        const object = newPriority({ ...flags, name: onlyName('create priorityclass', words) });
        return createFromFlags(cli, { object, failing: 'failed to create priorityclass: ' }, flags);
      }),
    );
}

function wholeNumber(text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number.');
}
