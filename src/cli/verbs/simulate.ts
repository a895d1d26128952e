import type { Command } from 'commander';
import { NODES_HELP, ZONES_HELP } from '../flags/apply-flags.ts';
import type { SimulateFlags } from '../experiments/simulate.ts';
import { countOption, usageOf } from '../flags/options.ts';
import { append, outputOption } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Programs:
  --program CONTAINER=CLAUSE[, CLAUSE...][ then CLAUSE...], with these clauses:
    runs                      until it is stopped
    exits CODE [after TIME]   ends by itself
    out of memory after TIME  its memory limit ends it
    ready after TIME          its probes fail before
    never ready               its probes fail
    ignores TERM              only a kill ends it
    stops after TIME          takes so long to end after TERM, and exits 0
    cannot start              there is no such program
  What is behind "then" is for the next start of the container; the last part is for all further ones.
  Without --program, a container runs until it is stopped and is ready at once. An init container, and a container
  of a Pod that is not always restarted, exits with 0 after a second.

Loads:
  --load FILE: lines SECONDS,MILLICORES, each until the next one. The millicores are of the whole workload: its ready
  Pods share them evenly, each up to its CPU limit. The table at the end has each change of the autoscaler, and why.
  With several autoscalers, NAME=FILE names the workload.

Examples:
  podrun simulate pod.yaml
  podrun simulate pod.yaml --program 'main=exits 3 after 10s, ready after 2s' --for 1h
  podrun simulate pod.yaml --program 'main=cannot start then runs' -o json
  podrun simulate scaled.yaml --load load.csv
  podrun simulate pod.yaml --nodes 3 --inject node:node-2=crash@1m+10m --for 1h
`;

/** `podrun simulate`: prints what a node would do with manifests in a day. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('simulate')
    .summary('Print what a node would do with manifests in a day')
    .description(
      'Runs the agent and the controllers of podrun against a simulated machine, whose clock moves as fast as they ' +
        'compute, and prints the lines of apply. No program of the manifests runs, and nothing is stored.',
    )
    .usage('[flags] -f FILE|DIR|- | FILE...')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input')
    .option('-f, --filename <file>', 'like the arguments; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-n, --namespace <name>', 'namespace of objects without one')
    .option('--program <program>', 'what the program of a container does; may be given several times', append, [])
    .option('--load <file>', 'the load of the target of an autoscaler, FILE or NAME=FILE', append, [])
    .option('--for <duration>', 'the time to simulate (default: 24h, or the load and ten minutes)')
    .addOption(countOption('--nodes <number>', NODES_HELP))
    .addOption(countOption('--zones <number>', ZONES_HELP))
    .option('--inject <fault>', 'a fault on purpose, as for apply; may be given several times', append, [])
    .addOption(countOption('--seed <number>', 'with --inject: what faults leave to chance (default: 1)'))
    .addOption(outputOption<NonNullable<SimulateFlags['output']>>(['text', 'json']))
    .addHelpText('after', EXAMPLES)
    .action((files: string[], flags: SimulateFlags) =>
      run(async (cli) => {
        const filename = [...flags.filename, ...files];
        if (filename.length === 0) throw usageOf('simulate', 'must specify one of -f and FILE');
        const { simulate } = await import('../experiments/simulate.ts');
        return simulate(cli, { ...flags, filename });
      }),
    );
}
