import type { Command } from 'commander';
import { type ResourceType, usage } from '../../api/index.ts';
import { labelsIn, newBinding, newRole, newRules, type RoleRules } from '../../manifest/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { append } from '../select/selection-flags.ts';
import { typesIn } from '../select/type-named.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';

interface RoleFlags extends CreateFlags {
  readonly verb: readonly string[];
  readonly resource: readonly string[];
  readonly resourceName: readonly string[];
  /** Undefined: a Role has no URLs. */
  readonly nonResourceUrl?: readonly string[];
  readonly aggregationRule?: string;
}

interface BindingFlags extends CreateFlags {
  readonly clusterrole: string | undefined;
  /** Undefined: a ClusterRoleBinding gives no Role. */
  readonly role?: string;
  readonly user: readonly string[];
  readonly group: readonly string[];
  readonly serviceaccount: readonly string[];
}

/** `podrun create role`, `clusterrole`, `rolebinding` and `clusterrolebinding`. */
export function addAccess(group: Command, run: RunVerb): void {
  roleCommand(group, 'role', 'Role')
    .addHelpText('after', '\nExamples:\n  podrun create role reader --verb=get,list --resource=pods,pods/log\n')
    .action((words: string[], flags: RoleFlags) => run((cli) => createRole(cli, words, flags)));
  roleCommand(group, 'clusterrole', 'ClusterRole')
    .option('--non-resource-url <path>', 'a path of the API server; may be given several times', append, [])
    .option('--aggregation-rule <labels>', 'has the rules of the ClusterRoles with these labels instead')
    .addHelpText('after', '\nExamples:\n  podrun create clusterrole nodes --verb=get,list --resource=nodes\n')
    .action((words: string[], flags: RoleFlags) => run((cli) => createClusterRole(cli, words, flags)));
  bindingCommand(group, 'rolebinding', '(--role=NAME | --clusterrole=NAME)')
    .option('--role <name>', 'the Role that they get')
    .addHelpText(
      'after',
      '\nExamples:\n  podrun create rolebinding build --role=reader --serviceaccount=default:builder\n',
    )
    .action((words: string[], flags: BindingFlags) => run((cli) => createBinding(cli, words, flags)));
  bindingCommand(group, 'clusterrolebinding', '--clusterrole=NAME')
    .addHelpText('after', '\nExamples:\n  podrun create clusterrolebinding see --clusterrole=view --user=ann\n')
    .action((words: string[], flags: BindingFlags) => run((cli) => createClusterBinding(cli, words, flags)));
}

function roleCommand(group: Command, name: string, kind: string): Command {
  return withCreateFlags(group.command(name).usage('NAME --verb=LIST --resource=LIST [flags]'))
    .summary(`Create a ${kind}`)
    .description(`Creates a ${kind}: what its subjects may do through the API server.`)
    .argument('[name...]', 'its name')
    .option('--verb <list>', 'get, list, watch, create, …; may be given several times', append, [])
    .option('--resource <list>', 'pods, deployments.apps, pods/log, …; may be given several times', append, [])
    .option('--resource-name <name>', 'only objects of this name; may be given several times', append, []);
}

function bindingCommand(group: Command, name: string, role: string): Command {
  return withCreateFlags(group.command(name).usage(`NAME ${role} [--user=NAME] [--serviceaccount=NS:NAME] [flags]`))
    .summary(name === 'rolebinding' ? 'Create a RoleBinding' : 'Create a ClusterRoleBinding')
    .description('Gives a role to users, groups and ServiceAccounts.')
    .argument('[name...]', 'its name')
    .option('--clusterrole <name>', 'the ClusterRole that they get')
    .option('--user <name>', 'a user; may be given several times', append, [])
    .option('--group <name>', 'a group; may be given several times', append, [])
    .option('--serviceaccount <name>', 'NAMESPACE:NAME; may be given several times', append, []);
}

const VERBS: ReadonlySet<string> = new Set(
  '* get delete list create update patch watch proxy deletecollection use bind escalate impersonate approve sign'.split(
    ' ',
  ),
);

const URL_VERBS: ReadonlySet<string> = new Set('* get put post head options delete patch'.split(' '));

function rulesIn(cli: Cli, flags: RoleFlags): object[] {
  const wanted: RoleRules = {
    verbs: listed(flags.verb),
    resources: listed(flags.resource),
    resourceNames: flags.resourceName,
    nonResourceURLs: listed(flags.nonResourceUrl ?? []),
  };
  const unusual = wanted.resources.length === 0 ? [] : wanted.verbs.filter((verb) => !VERBS.has(verb));
  for (const verb of unusual) cli.warn(`'${verb}' is not a standard resource verb`);
  return newRules(wanted, (word): ResourceType => mustFindType(word, typesIn(cli)));
}

function listed(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(','));
}

/** Source: kubectl/pkg/cmd/create/create_role.go. */
function createRole(cli: Cli, words: readonly string[], flags: RoleFlags): Promise<number> {
  const name = onlyName('create role', words);
  if (flags.verb.length === 0) throw usage('at least one verb must be specified');
  if (flags.resource.length === 0) throw usage('at least one resource must be specified');
  return createFromFlags(cli, { object: newRole('Role', name, rulesIn(cli, flags)) }, flags);
}

/** Source: kubectl/pkg/cmd/create/create_clusterrole.go. */
function createClusterRole(cli: Cli, words: readonly string[], flags: RoleFlags): Promise<number> {
  const name = onlyName('create clusterrole', words);
  const { verb, resource, resourceName, nonResourceUrl = [], aggregationRule } = flags;
  if (aggregationRule !== undefined) {
    if ([verb, resource, resourceName, nonResourceUrl].some(({ length }) => length > 0))
      throw usage('aggregation rule must be specified without nonResourceURLs, verbs, resources or resourceNames');
    const selectors = [{ matchLabels: labelsIn(aggregationRule) }];
    const object = { ...newRole('ClusterRole', name, null), aggregationRule: { clusterRoleSelectors: selectors } };
    return createFromFlags(cli, { object }, flags);
  }
  if (verb.length === 0) throw usage('at least one verb must be specified');
  if (resource.length === 0 && nonResourceUrl.length === 0)
    throw usage('one of resource or nonResourceURL must be specified');
  checkUrls(listed(verb), listed(nonResourceUrl));
  return createFromFlags(cli, { object: newRole('ClusterRole', name, rulesIn(cli, flags)) }, flags);
}

/** @throws {PodrunError} (usage) in kubectl's words */
function checkUrls(verbs: readonly string[], urls: readonly string[]): void {
  if (urls.length === 0) return;
  const wrong = verbs.find((verb) => !URL_VERBS.has(verb));
  if (wrong !== undefined) throw usage(`invalid verb: '${wrong}' for nonResourceURL`);
  if (urls.some((url) => url !== '*' && !url.startsWith('/'))) throw usage('nonResourceURL should start with /');
}

function subjectsIn({ user, group, serviceaccount }: BindingFlags): Parameters<typeof newBinding>[3] {
  return { users: user, groups: group, accounts: serviceaccount };
}

/** Source: kubectl/pkg/cmd/create/create_rolebinding.go. */
function createBinding(cli: Cli, words: readonly string[], flags: BindingFlags): Promise<number> {
  const name = onlyName('create rolebinding', words);
  const { role = '', clusterrole = '' } = flags;
  if ((role === '') === (clusterrole === '')) throw usage('exactly one of clusterrole or role must be specified');
  const given =
    role === '' ? ({ kind: 'ClusterRole', name: clusterrole } as const) : ({ kind: 'Role', name: role } as const);
  const object = newBinding('RoleBinding', name, given, subjectsIn(flags));
  return createFromFlags(cli, { object, failing: 'failed to create rolebinding: ' }, flags);
}

/** Source: kubectl/pkg/cmd/create/create_clusterrolebinding.go. */
function createClusterBinding(cli: Cli, words: readonly string[], flags: BindingFlags): Promise<number> {
  const name = onlyName('create clusterrolebinding', words);
  if (!flags.clusterrole) throw usage('required flag(s) "clusterrole" not set');
  const object = newBinding(
    'ClusterRoleBinding',
    name,
    { kind: 'ClusterRole', name: flags.clusterrole },
    subjectsIn(flags),
  );
  return createFromFlags(cli, { object, failing: 'failed to create clusterrolebinding: ' }, flags);
}
