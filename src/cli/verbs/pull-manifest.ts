import type { Command } from 'commander';
import {
  DEFAULT_NAMESPACE,
  EXIT,
  isWorkload,
  qualifiedKind,
  type ResourceType,
  resourceTypeNamed,
  usage,
} from '../../api/index.ts';
import { formatYaml } from '../../print/index.ts';
import { ClusterConnection, type PulledManifest, pullManifest } from '../../remote/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openCluster } from '../connect/open-cluster.ts';

/** The flags of `pull-manifest`. */
interface PullManifestFlags {
  readonly namespace: string | undefined;
  readonly context: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly configmaps: boolean;
  readonly secrets: boolean;
  readonly redact: boolean;
}

const EXAMPLES = `
Examples:
  podrun pull-manifest pod/web --context staging > web.yaml
  podrun pull-manifest deploy/api -n shop --context staging --configmaps --redact
`;

/** `podrun pull-manifest`: makes a manifest out of a Pod or workload of a cluster. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('pull-manifest')
    .summary('Make a manifest out of a Pod or workload of a cluster')
    .description(
      'Prints a manifest that runs here, made out of a Pod or workload of a cluster: without what the cluster has set.',
    )
    .usage('(POD | TYPE/NAME) [flags]')
    .argument('<object>', 'the Pod, or the type and name: deploy/web')
    .option('-n, --namespace <name>', 'namespace of the object (default: as in the context)')
    .option('--context <name>', 'the context of your kubeconfig (default: the current one)')
    .option('--kubeconfig <file>', "the kubeconfig (default: kubectl's)")
    .option('--configmaps', 'with the ConfigMaps that the Pods read', false)
    .option('--secrets', 'with the Secrets that the Pods read', false)
    .option('--redact', 'with those Secrets, but with other values', false)
    .addHelpText('after', EXAMPLES)
    .action((word: string, flags: PullManifestFlags) => run((cli) => pull(cli, word, flags)));
}

async function pull(cli: Cli, word: string, flags: PullManifestFlags): Promise<number> {
  const { type, name } = objectNamed(word);
  const access = await openCluster(cli, flags);
  const namespace = flags.namespace ?? access.namespace ?? DEFAULT_NAMESPACE;
  const secrets = flags.secrets || flags.redact;
  const pulled = await pullManifest(new ClusterConnection(access), {
    type,
    namespace,
    name,
    redact: flags.redact,
    withKinds: new Set([...(flags.configmaps ? ['ConfigMap' as const] : []), ...(secrets ? ['Secret' as const] : [])]),
  });
  cli.stdout.write(
    manifestText(`${qualifiedKind(type)}/${name} in namespace ${namespace} of context ${access.context}`, pulled),
  );
  return EXIT.ok;
}

/** @throws {PodrunError} (usage) for what has no Pods */
function objectNamed(word: string): { readonly type: ResourceType; readonly name: string } {
  const slash = word.indexOf('/');
  const [kind, name] = slash === -1 ? ['pod', word] : [word.slice(0, slash), word.slice(slash + 1)];
  const type = resourceTypeNamed(kind);
  if (type !== undefined && name !== '' && (type.kind === 'Pod' || isWorkload(type))) return { type, name };
  throw usage(`${JSON.stringify(word)} names no Pod and no workload`, 'For example: podrun pull-manifest deploy/web');
}

function manifestText(source: string, { objects, leftOut }: PulledManifest): string {
  const head = [`From ${source}.`, ...(leftOut.length > 0 ? ['Left out:'] : []), ...leftOut.map((each) => `- ${each}`)];
  const comment = head.map((line) => `# ${line}\n`).join('');
  return comment + objects.map((object) => formatYaml(object)).join('---\n');
}
