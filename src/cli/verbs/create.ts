import { type Command, Option } from 'commander';
import { newIngress } from '../../manifest/index.ts';
import type { RunVerb } from '../base/cli.ts';
import { addConfig } from '../create/config.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from '../create/create-object.ts';
import { type CreateFilesFlags, createFromFiles } from '../create/from-files.ts';
import { addAccess } from '../create/access.ts';
import { addPolicies } from '../create/policies.ts';
import { addServices } from '../create/services.ts';
import { addToken } from '../create/token.ts';
import { addWorkloads } from '../create/workloads.ts';
import { append } from '../select/selection-flags.ts';

/** The kinds of which a name is enough. kubectl shows the server's errors about a Namespace unchanged. */
const KINDS = [
  {
    name: 'namespace',
    alias: 'ns',
    kind: 'Namespace',
    more: { spec: {}, status: {} },
    example: 'test-two',
    failing: undefined,
  },
  {
    name: 'serviceaccount',
    alias: 'sa',
    kind: 'ServiceAccount',
    more: {},
    example: 'builder',
    failing: 'failed to create serviceaccount: ',
  },
] as const;

const EXAMPLES = `
With -f or -k, instead of a command: the objects of these manifests, as with kubectl. -l, -R, -n, -o, --dry-run and
--validate are as with podrun apply.

Examples:
  podrun create -f site.yaml
  podrun create configmap levels --from-literal=level=info
  podrun create job hello --image=busybox -- date
  podrun create deployment site --image=nginx --dry-run=client -o yaml      # a manifest to start from
`;

/** `podrun create`: creates objects, also without a manifest. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('create')
    .summary('Create objects, also without a manifest')
    .description(
      'Creates the objects of manifests, or an object from flags. Pods and workloads run in the background, as with ' +
        'apply --detach.',
    )
    .usage('(-f FILE | -k DIR | COMMAND NAME) [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  addWorkloads(group, run);
  addConfig(group, run);
  addIngress(group, run);
  addServices(group, run);
  addPolicies(group, run);
  addAccess(group, run);
  addToken(group, run);
  addNamed(group, run);
  addFiles(group, run);
}

/**
 * `create -f`, without the name of a kind. It has its own set of flags: the commands of kinds have flags of the same
 * names.
 */
function addFiles(group: Command, run: RunVerb): void {
  const command = group.command('files', { isDefault: true, hidden: true }).argument('[command...]');
  withCreateFlags(command)
    .description('Creates the objects of manifests.')
    .option('-f, --filename <file>', 'the objects of this manifest; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('-k, --kustomize <folder>', 'the objects of this kustomization, made by kubectl or kustomize')
    .option('-l, --selector <query>', 'only objects with these labels, for example app=web')
    .addOption(
      new Option('--validate <mode>', 'unknown and duplicate fields')
        .choices(['strict', 'warn', 'ignore'])
        .default('strict'),
    )
    .action(([word]: string[], flags: CreateFilesFlags) => run((cli) => createFromFiles(cli, word, flags)));
}

/** `podrun create namespace` and `podrun create serviceaccount`. */
function addNamed(group: Command, run: RunVerb): void {
  for (const { name, alias, kind, more, example, failing } of KINDS) {
    withCreateFlags(group.command(name).alias(alias).usage('NAME [flags]'))
      .summary(`Create a ${kind}`)
      .description(`Creates a ${kind}.`)
      .argument('[name...]', 'its name')
      .addHelpText('after', `\nExamples:\n  podrun create ${name} ${example}\n`)
      .action((words: string[], flags: CreateFlags) =>
        run((cli) => {
          const object = { apiVersion: 'v1', kind, metadata: { name: onlyName(`create ${name}`, words) }, ...more };
          return createFromFlags(cli, { object, ...(failing === undefined ? {} : { failing }) }, flags);
        }),
      );
  }
}

interface IngressFlags extends CreateFlags {
  readonly rule: readonly string[];
  readonly defaultBackend: string | undefined;
  readonly annotation: readonly string[];
  readonly class: string | undefined;
}

const INGRESS_EXAMPLES = `
Examples:
  podrun create ingress site --rule='site.localhost/*=web:80'        # all paths
  podrun create ingress two --rule='/=web:80' --rule='/api*=api:http' --dry-run=client -o yaml
  podrun create ingress all --default-backend=web:80
`;

/** `podrun create ingress`. */
function addIngress(group: Command, run: RunVerb): void {
  withCreateFlags(
    group.command('ingress').alias('ing').usage('NAME --rule=HOST/PATH=SERVICE:PORT[,tls[=SECRET]] [flags]'),
  )
    .summary('Create an Ingress')
    .description('Creates an Ingress, which leads HTTP requests to Services.')
    .argument('[name...]', 'its name')
    .option('--rule <rule>', 'HOST/PATH=SERVICE:PORT[,tls[=SECRET]]; may be given several times', append, [])
    .option('--default-backend <service>', 'SERVICE:PORT for all other requests')
    .option('--annotation <pair>', 'KEY=VALUE; may be given several times', append, [])
    .option('--class <name>', 'the name of an IngressClass')
    .addHelpText('after', INGRESS_EXAMPLES)
    .action((words: string[], flags: IngressFlags) =>
      run((cli) => {
        const { rule: rules, defaultBackend, annotation: annotations, class: className } = flags;
        const name = onlyName('create ingress', words);
        const object = newIngress({ name, rules, defaultBackend, annotations, className });
        return createFromFlags(cli, { object, failing: 'failed to create ingress: ' }, flags);
      }),
    );
}
