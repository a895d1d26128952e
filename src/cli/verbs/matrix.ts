import type { Command } from 'commander';
import { NODES_HELP, ZONES_HELP } from '../flags/apply-flags.ts';
import type { MatrixFlags } from '../experiments/matrix.ts';
import { countOption, usageOf } from '../flags/options.ts';
import { append, outputOption } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Examples:
  podrun matrix deploy/                                  # 20 runs, in each of which one container is killed
  podrun matrix deploy/ --seeds 100 --jobs 4 --for 30s
  podrun matrix deploy/ --inject oom:app --seeds 5 -- ./smoke.sh
  podrun matrix deploy/ --nodes 3 --inject node=crash@1m --speed 100 --for 10s
  podrun matrix job.yaml --inject 'exit:3@50%' --seeds 4 --jobs 4 -o json

Exit codes:
  0  all runs ended as they should
  1  a run failed, was not ready in time, or its COMMAND failed
  2  the command line or a manifest is wrong
`;

/** `podrun matrix`: runs manifests under many faults. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('matrix')
    .summary('Run manifests under many faults')
    .description(
      'Runs manifests once for each seed, each time with other faults on purpose, and says what a user of their Pods ' +
        'would have noticed: the verdict, restarts, the time until Ready again, and lost requests.',
    )
    .usage('[flags] -f FILE|DIR | FILE... [-- COMMAND ARGS...]')
    .argument('[files...]', 'manifests, or folders of manifests')
    .option('-f, --filename <file>', 'like the arguments; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--inject <fault>', 'a fault, as for apply; may be given several times (default: kill)', append, [])
    .addOption(countOption('--seeds <number>', 'the number of runs').default(20))
    .addOption(countOption('--jobs <number>', 'the number of runs at once').default(1))
    .option(
      '--for <duration>',
      'end each run so long after its Pods are ready (default: 20s; none with --until, --timeout or COMMAND, and for ' +
        'Pods that end by themselves)',
    )
    .option('--until <goal>', 'the goal of each run, as for apply')
    .option('--timeout <duration>', 'the time limit of each run')
    .option('--network <network>', 'the network of the Pods, as for apply')
    .option('--runtime <runtime>', 'the runtime of the Pods, as for apply')
    .addOption(countOption('--nodes <number>', NODES_HELP))
    .addOption(countOption('--zones <number>', ZONES_HELP))
    .option('--speed <factor>', 'time passes so much faster, as for apply')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action((files: string[], flags: MatrixFlags) =>
      run(async (cli) => {
        const filename = [...flags.filename, ...files];
        if (filename.length === 0) throw usageOf('matrix', 'must specify one of -f and FILE');
        if (filename.includes('-')) throw usageOf('matrix', 'standard input cannot be read once for each run');
        const { matrix } = await import('../experiments/matrix.ts');
        return matrix(cli, { ...flags, filename }, cli.line.command);
      }),
    );
}
