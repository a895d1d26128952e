import type { Command } from 'commander';
import { type LogsFlags } from '../logs/logs-request.ts';
import type { RunVerb } from '../base/cli.ts';
import { contextOption } from '../flags/options.ts';
import { logs } from '../logs/print-logs.ts';

const EXAMPLES = `
Examples:
  podrun logs web                       # the only container, or the first one
  podrun logs web -c proxy -f           # follows the log until the container ends
  podrun logs web --previous            # the run before the last restart
  podrun logs web --all-containers --prefix --since=5m
  podrun logs -l app=web --tail=20
  podrun logs service/web --all-pods    # also deployment/web, job/hello, …
  podrun logs deployment/web -f         # also of the Pod that replaces this one
  podrun logs web --hooks -f            # the output of hooks and exec probes, and the ends of hooks
`;

/** `podrun logs`: prints the output of containers, hooks and probes. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('logs')
    .summary('Print the logs of containers')
    .description('Prints the standard output and standard error of a container, or of its hooks and exec probes.')
    .usage('(POD | TYPE/NAME) [CONTAINER] | -l QUERY [flags]')
    .argument('[pod]', 'the Pod, or a workload or Service')
    .argument('[container]', 'the container')
    .option('-c, --container <name>', 'the container')
    .addOption(contextOption())
    .option('--all-containers', 'all containers of the Pod', false)
    .option('--all-pods', 'all Pods of a workload or Service, with their names; else one of them', false)
    .option(
      '-f, --follow',
      'follow the log until the container ends; of a workload: and of the Pods that replace this one',
      false,
    )
    .option('-p, --previous', 'the log of the instance before this one', false)
    .option('--hooks', 'print the output of hooks and exec probes instead', false)
    .option('--since <duration>', 'only lines newer than this, for example 5s, 2m or 3h')
    .option('--since-time <time>', 'only lines since this time (RFC 3339)')
    .option('--tail <lines>', 'only this many of the last lines; -1: all (default: -1, with a selector 10)')
    .option('--timestamps', 'print the time of each line', false)
    .option('--prefix', 'print the names of Pod and container before each line', false)
    .option('--limit-bytes <bytes>', 'print at most this many bytes of each log')
    .option('--ignore-errors', 'report an error and continue', false)
    .option('-l, --selector <query>', 'Pods with these labels, for example app=web')
    .option('-n, --namespace <name>', 'namespace of the Pods (default: "default")')
    .option('--max-log-requests <count>', 'the largest number of logs to follow at once', '5')
    .option(
      '--pod-running-timeout <duration>',
      'how long to wait for a Pod of a workload, and with -f for a container to start',
      '20s',
    )
    .addHelpText('after', EXAMPLES)
    .action((pod: string | undefined, container: string | undefined, flags: LogsFlags) =>
      run((cli) => logs(cli, { pod, container }, flags)),
    );
}
