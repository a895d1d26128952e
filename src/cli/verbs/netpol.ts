import type { Command } from 'commander';
import { type CheckFlags, checkConnection, type CheckOutput } from '../netpol/check.ts';
import { withManifestFlags } from '../select/manifest-objects.ts';
import { outputOption } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Examples:
  podrun netpol check pod/web pod/api:8080
  podrun netpol check -f policies.yaml deployment/web service/db:5432
`;

const CHECK_EXAMPLES = `
FROM and TO:
  web, pod/web, shop/web                   a Pod; behind a slash, of another namespace
  deployment/web, shop/statefulset/db      a Pod of a workload
  service/db, a cluster IP                 TO only: the Pods behind the Service, with their ports
  203.0.113.9, [2001:db8::1]               a Pod with this address, else an address outside
  node                                     the node

Exit codes:
  0    the connection is permitted
  1    a policy denies it, or an end does not exist
  2    the command line is wrong

Examples:
  podrun netpol check pod/web pod/api:8080
  podrun netpol check staging/web 10.96.0.10:53/UDP
  podrun netpol check -f policies.yaml deployment/web service/db:5432
  podrun netpol check -f policies.yaml deployment/web 203.0.113.9:443 -o json
`;

/** `podrun netpol`: questions about NetworkPolicies. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('netpol')
    .summary('Say which NetworkPolicy permits or denies a connection')
    .description('Questions about NetworkPolicies.')
    .usage('COMMAND [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  const command = group
    .command('check')
    .summary('Say which policy permits or denies a connection, rule by rule')
    .description(
      'Says whether NetworkPolicies permit a connection: for both ends, each policy that isolates the Pod, and why ' +
        'each of its rules matches or not. Nothing runs.',
    )
    .usage('FROM TO:PORT[/PROTOCOL] [flags]')
    .argument('<from>', 'the client')
    .argument('<to>', 'the destination with the number or name of a port; the protocol is TCP, UDP or SCTP');
  withManifestFlags(command)
    .option('--stored', 'with manifests: the objects of the store, too', false)
    .option('-n, --namespace <name>', 'namespace of ends and objects without one (default: "default")')
    .addOption(outputOption<CheckOutput>(['text', 'json']))
    .addHelpText('after', CHECK_EXAMPLES)
    .action((from: string, to: string, flags: CheckFlags) => run((cli) => checkConnection(cli, from, to, flags)));
}
