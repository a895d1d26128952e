import { type Command, Option } from 'commander';
import { EXIT, parseLabelPairs, PodrunError, type StoredKubeObject, usage } from '../../api/index.ts';
import {
  isExposable,
  portsToExpose,
  selectorToExpose,
  serviceToExpose,
  type WantedService,
} from '../../manifest/index.ts';
import { getObject, missingObjectError } from '../../apiserver/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { type CreateFlags, createFromFlags, withCreateFlags } from '../create/create-object.ts';
import { openStore } from '../base/environment.ts';
import { usageErrorf } from '../flags/options.ts';
import { groupKind } from '../rollout/rollout-flags.ts';
import { readTargets } from '../select/find-objects.ts';
import { append } from '../select/selection-flags.ts';

interface ExposeFlags extends CreateFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly port: string | undefined;
  readonly targetPort: string | undefined;
  readonly protocol: string | undefined;
  readonly name: string | undefined;
  readonly labels: string | undefined;
  readonly selector: string | undefined;
  readonly type: string | undefined;
  readonly clusterIp: string | undefined;
  readonly sessionAffinity: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun expose deployment web --port=80 --target-port=8080
  podrun expose statefulset/db --port=5432 --selector=app=db --dry-run=client -o yaml
  podrun expose deployment/web --port=80 --name=front --type=NodePort
`;

/** `podrun expose`: makes a Service for the Pods of an object. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('expose')
    .summary('Create a Service for a workload or a Pod')
    .description(
      'Creates a Service that selects the Pods of a Deployment, ReplicaSet, ReplicationController, Pod or Service.',
    )
    .usage('(TYPE/NAME | TYPE NAME | -f FILE) [--port=PORT] [flags]')
    .argument('[resource...]', 'the object');
  withCreateFlags(command)
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('--port <numbers>', 'the ports of the Service, separated by commas (default: as in the object)')
    .option('--target-port <port>', 'the port of the container, a number or a name (default: the same)')
    .option('--protocol <protocol>', 'TCP, UDP or SCTP (default: as in the object, else TCP)')
    .option('--name <name>', 'the name of the Service (default: as in the object)')
    .option('-l, --labels <list>', 'labels of the Service, KEY=VALUE,... (default: as in the object)')
    .option('--selector <query>', 'the labels of the Pods, KEY=VALUE,... (default: the selector of the object)')
    .addOption(
      new Option('--type <type>', 'type of the Service').choices([
        'ClusterIP',
        'NodePort',
        'LoadBalancer',
        'ExternalName',
      ]),
    )
    .option('--cluster-ip <address>', 'the address of the Service; None: a headless Service')
    .addOption(
      new Option('--session-affinity <kind>', 'whether a client stays with one Pod').choices(['None', 'ClientIP']),
    )
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: ExposeFlags) => run((cli) => expose(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/expose/expose.go. */
async function expose(cli: Cli, words: readonly string[], flags: ExposeFlags): Promise<number> {
  const store = openStore(cli);
  const anyLabels = { ...flags, selector: undefined };
  const refs = await readTargets(cli, store, { command: 'expose', words, flags: anyLabels });
  let exitCode: number = EXIT.ok;
  for (const ref of refs) {
    const object = getObject(store, ref);
    if (object === undefined) throw missingObjectError(store, ref);
    if (!isExposable(object) && flags.selector === undefined) {
      throw new PodrunError('BadRequest', `cannot expose a ${groupKind(ref.type)}`);
    }
    const service = serviceToExpose(wantedService(object, flags));
    exitCode = Math.max(exitCode, await createFromFlags(cli, { object: service, made: 'exposed' }, flags));
  }
  return exitCode;
}

/** The longest name of a Service. */
const NAME_MAX = 63;

function wantedService(object: StoredKubeObject, flags: ExposeFlags): WantedService {
  const { metadata } = object;
  const { clusterIp, targetPort, type, sessionAffinity } = flags;
  return {
    name: flags.name || metadata.name.slice(0, NAME_MAX),
    labels: flags.labels === undefined ? metadata.labels : labelsOf(flags.labels),
    selector: flags.selector === undefined ? selectorToExpose(object) : labelsOf(flags.selector),
    ports: wantedPorts(object, flags),
    targetPort: targetPort !== undefined && /^\d+$/.test(targetPort) ? Number(targetPort) : targetPort,
    type,
    clusterIP: clusterIp,
    sessionAffinity,
  };
}

function labelsOf(list: string): Readonly<Record<string, string>> {
  return Object.fromEntries(parseLabelPairs(list.split(',')).set);
}

/** @throws {PodrunError} (usage) when neither the user nor the object names a port */
function wantedPorts(object: StoredKubeObject, { port, protocol, clusterIp }: ExposeFlags): WantedService['ports'] {
  const present = isExposable(object) ? portsToExpose(object) : [];
  const numbers = port ? port.split(',').map(portNumber) : present.map((own) => own.port);
  if (numbers.length === 0 && clusterIp !== 'None') {
    throw usageErrorf('expose', "couldn't find port via --port flag or introspection");
  }
  return numbers.map((number) => ({
    port: number,
    protocol: protocol ?? present.find((own) => own.port === number)?.protocol ?? 'TCP',
  }));
}

function portNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw usage(`invalid --port ${JSON.stringify(text)}: ports are numbers`);
}
