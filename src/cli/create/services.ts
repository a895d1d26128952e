import type { Command } from 'commander';
import { subdomainMessages, usage } from '../../api/index.ts';
import { type NewService, newService } from '../../manifest/index.ts';
import type { RunVerb } from '../base/cli.ts';
import { countOption } from '../flags/options.ts';
import { append } from '../select/selection-flags.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';

interface ServiceFlags extends CreateFlags {
  readonly tcp: readonly string[];
  readonly clusterip: string | undefined;
  readonly nodePort: number | undefined;
  readonly externalName: string | undefined;
}

const GROUP_EXAMPLES = `
Examples:
  podrun create service clusterip api --tcp=80:8080
  podrun create service externalname wiki --external-name=example.com
`;

/** The commands below `create service`, by the type of their Service. */
const COMMANDS = [
  { name: 'clusterip', type: 'ClusterIP', words: '[--tcp=PORT:TARGET]', example: 'queue --clusterip=None' },
  { name: 'nodeport', type: 'NodePort', words: '--tcp=PORT:TARGET', example: 'shop --tcp=80:8080 --node-port=30080' },
  { name: 'loadbalancer', type: 'LoadBalancer', words: '--tcp=PORT:TARGET', example: 'front --tcp=80:http' },
  {
    name: 'externalname',
    type: 'ExternalName',
    words: '--external-name=NAME',
    example: 'docs --external-name=example.com',
  },
] as const;

/** `podrun create service`. Source: kubectl/pkg/cmd/create/create_service.go. */
export function addServices(group: Command, run: RunVerb): void {
  const services = group
    .command('service')
    .alias('svc')
    .summary('Create a Service')
    .description('Creates a Service of a certain type for the Pods with the label app=NAME.')
    .usage('COMMAND NAME [flags]')
    .helpCommand(false)
    .addHelpText('after', GROUP_EXAMPLES);
  for (const { name, type, words, example } of COMMANDS) {
    const command = withCreateFlags(services.command(name).usage(`NAME ${words} [flags]`))
      .summary(`Create a Service of the type ${type}`)
      .description(`Creates a Service of the type ${type}.`)
      .argument('[name...]', 'its name')
      .option('--tcp <ports>', 'PORT or PORT:TARGET; may be given several times', append, []);
    if (type === 'ClusterIP') command.option('--clusterip <address>', 'its address; None: a headless Service');
    if (type === 'NodePort') command.addOption(countOption('--node-port <number>', 'the port of the node'));
    if (type === 'ExternalName') command.option('--external-name <name>', 'the name that it stands for');
    command
      .addHelpText('after', `\nExamples:\n  podrun create service ${name} ${example}\n`)
      .action((args: string[], flags: ServiceFlags) =>
        run((cli) => {
          const object = newService(checked(type, onlyName(`create service ${name}`, args), flags));
          return createFromFlags(cli, { object, failing: `failed to create ${type} service: ` }, flags);
        }),
      );
  }
}

/** @throws {PodrunError} (usage) in kubectl's words */
function checked(type: NewService['type'], name: string, flags: ServiceFlags): NewService {
  const { tcp, clusterip, nodePort, externalName } = flags;
  if (type === 'ExternalName') {
    if (externalName === undefined) throw usage('required flag(s) "external-name" not set');
    if (subdomainMessages(externalName).length > 0) throw usage(`invalid service external name ${externalName}`);
  } else if (tcp.length === 0 && clusterip !== 'None') throw usage('at least one tcp port specifier must be provided');
  const ports = tcp.flatMap((text) => text.split(','));
  return { name, type, ports, clusterIP: clusterip, nodePort, externalName };
}
