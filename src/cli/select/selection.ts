import {
  DEFAULT_NAMESPACE,
  everyResourceType,
  type KubeObject,
  parseFieldSelector,
  parseLabelSelector,
  PodrunError,
  qualifiedPlural,
  type ResourceType,
  resourceTypeOf,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import { ENDPOINTS_DEPRECATED, type UnreadObject } from '../../manifest/index.ts';
import { getObject, type ObjectRef } from '../../apiserver/index.ts';
import { openStore } from '../base/environment.ts';
import { parseResourceArguments } from './resource-arguments.ts';
import { downloader, kustomized } from './outside-inputs.ts';
import { namesFiles, type SelectionFlags } from './selection-flags.ts';
import { typeOfUnread, typesIn } from './type-named.ts';
import type { Cli } from '../base/cli.ts';

type SelectingCommand =
  | 'annotate'
  | 'condition'
  | 'delete'
  | 'describe'
  | 'edit'
  | 'autoscale'
  | 'expose'
  | 'get'
  | 'label'
  | 'patch'
  | 'rollout'
  | 'scale'
  | 'set'
  | 'taint'
  | 'top'
  | 'wait';

/** The commands that take every kind of the store. The rest is about some kinds only. */
const TAKES_ANY_KIND: ReadonlySet<SelectingCommand> = new Set([
  'annotate',
  'delete',
  'describe',
  'edit',
  'get',
  'label',
  'patch',
  'scale',
  'wait',
]);

/** The objects of a command. */
export type Selection =
  | { readonly how: 'named'; readonly refs: readonly ObjectRef[] }
  | {
      readonly how: 'listed';
      readonly types: readonly ResourceType[];
      /** Undefined: all namespaces. */
      readonly namespace: string | undefined;
      readonly matches: (type: ResourceType, object: StoredKubeObject) => boolean;
    };

/**
 * Parses names, manifests, or types with selectors.
 * @throws {PodrunError} when words and flags contradict each other, or name nothing
 */
export async function readSelection(
  cli: Cli,
  command: SelectingCommand,
  words: readonly string[],
  flags: SelectionFlags,
): Promise<Selection> {
  if (flags.kustomize !== undefined && flags.filename.length > 0) throw usage('only one of -f or -k can be specified');
  if (namesFiles(flags)) {
    if (words.length > 0) {
      throw usage(
        'when paths, URLs, or stdin is provided as resource input, you may not specify resource arguments as well',
      );
    }
    return { how: 'named', refs: await refsInManifests(cli, command, flags) };
  }
  if (words.length === 0) throw nothingNamed();
  const parsed = parseResourceArguments(words, typesIn(cli));
  const types = parsed.how === 'names' ? parsed.names.map(({ type }) => type) : parsed.types;
  if (!TAKES_ANY_KIND.has(command)) refuseServedOnly(command, types);
  if (types.some(({ kind }) => kind === 'Endpoints')) cli.warn(ENDPOINTS_DEPRECATED);
  if (parsed.how === 'names') return namedSelection(parsed.names, flags);
  if (flags.all === true && flags.selector !== undefined) {
    throw usage("setting 'all' parameter but found a non empty selector. ");
  }
  return {
    how: 'listed',
    types: parsed.types,
    namespace: flags.allNamespaces ? undefined : (flags.namespace ?? DEFAULT_NAMESPACE),
    matches: readSelectors(parsed.types, flags),
  };
}

/** @throws {PodrunError} (usage) for a kind that the command has no meaning for */
function refuseServedOnly(command: SelectingCommand, types: readonly ResourceType[]): void {
  const type = types.find((one) => !everyResourceType().includes(one));
  if (type === undefined) return;
  const plural = qualifiedPlural(type);
  throw usage(`podrun ${command} takes no ${plural}`, 'podrun patch and podrun edit change their fields.');
}

export function refTo(type: ResourceType, { metadata: { namespace, name } }: StoredKubeObject): ObjectRef {
  return { type, namespace: namespaceOf(type, namespace), name };
}

/** True when a flag selects objects. False when the user may have forgotten a name. */
export function isExplicitList(flags: SelectionFlags): boolean {
  return flags.all === true || flags.selector !== undefined || flags.fieldSelector !== undefined;
}

function namedSelection(names: ReadonlyArray<{ type: ResourceType; name: string }>, flags: SelectionFlags): Selection {
  if (flags.selector !== undefined || flags.fieldSelector !== undefined || flags.all === true) {
    throw usage('name cannot be provided when a selector is specified');
  }
  if (flags.allNamespaces) throw usage('a resource cannot be retrieved by name across all namespaces');
  const refs = names.map(({ type, name }) => ({ type, name, namespace: namespaceOf(type, flags.namespace) }));
  return { how: 'named', refs };
}

function namespaceOf(type: ResourceType, namespace: string | undefined): string {
  return type.isNamespaced ? namespace || DEFAULT_NAMESPACE : DEFAULT_NAMESPACE;
}

function readSelectors(
  types: readonly ResourceType[],
  { selector, fieldSelector }: SelectionFlags,
): (type: ResourceType, object: StoredKubeObject) => boolean {
  const labels = parseLabelSelector(selector ?? '');
  const fields = new Map(types.map((type) => [type, parseFieldSelector(fieldSelector ?? '', type.plural)]));
  return (type, object) => labels(object.metadata.labels ?? {}) && fields.get(type)?.(object) !== false;
}

/** Reads names from manifests. Ignores mistakes in their other fields. */
async function refsInManifests(cli: Cli, command: SelectingCommand, flags: SelectionFlags): Promise<ObjectRef[]> {
  const { loadManifests } = await import('../../manifest/check/load.ts');
  const { objects, unread, errors } = await loadManifests({
    files: flags.kustomize === undefined ? flags.filename : [await kustomized(cli, flags.kustomize)],
    recursive: flags.recursive,
    pathOf: cli.pathOf,
    namespace: flags.namespace,
    stdin: () => cli.stdin,
    download: downloader(cli),
    command,
    namesOnly: true,
    keepsUnread: true,
  });
  if (errors.length > 0) {
    const { renderManifestErrors } = await import('../../manifest/report.ts');
    throw new PodrunError('InvalidManifest', renderManifestErrors(errors).join('\n'));
  }
  const refOf = (type: ResourceType, { object, file }: { object: KubeObject; file: string }): ObjectRef => {
    const { name = '', namespace } = object.metadata;
    return { type, name, namespace: namespaceOf(type, namespace || flags.namespace), file };
  };
  const stored = unread.length === 0 ? [] : storedRefs(cli, unread, refOf);
  return [...stored, ...objects.map((each) => refOf(resourceTypeOf(each.object), each))];
}

/**
 * The stored objects among the objects of kinds that an API server stores: custom resources first, then what defines
 * them. A run without an API server has stored none.
 */
function storedRefs(
  cli: Cli,
  unread: readonly UnreadObject[],
  refOf: (type: ResourceType, unread: UnreadObject) => ObjectRef,
): ObjectRef[] {
  const store = openStore(cli);
  return unread
    .toSorted((one, other) => Number(one.noMatch === undefined) - Number(other.noMatch === undefined))
    .flatMap((each) => {
      const type = typeOfUnread(cli, each);
      const ref = type && refOf(type, each);
      return ref !== undefined && getObject(store, ref) !== undefined ? [ref] : [];
    });
}

function nothingNamed(): PodrunError {
  return usage(
    'You must provide one or more resources by argument or filename.',
    [
      'Example resource specifications include:',
      "   '-f rsrc.yaml'",
      "   '--filename=rsrc.json'",
      "   '<resource> <name>'",
      "   '<resource>'",
    ].join('\n'),
  );
}

/** The error for a type without a name. */
export function nameMissing(): PodrunError {
  return usage('resource(s) were provided, but no name was specified');
}
