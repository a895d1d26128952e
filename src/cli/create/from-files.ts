import { buffer } from 'node:stream/consumers';
import {
  definedKinds,
  getObject,
  newObject,
  randomSuffix,
  recordOf,
  withClusterObjects,
} from '../../apiserver/index.ts';
import {
  DEFAULT_NAMESPACE,
  EXIT,
  fromServer,
  goQuote,
  type KubeObject,
  type PodrunError,
  qualifiedKind,
  qualifiedPlural,
  type ResourceType,
  resourceTypeOf,
} from '../../api/index.ts';
import { generatedName } from '../../controllers/index.ts';
import { type ManifestObject, renderManifestErrors, type UnreadObject } from '../../manifest/index.ts';
import type { FileStore } from '../../store/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { apply } from '../apply/apply-session.ts';
import { loadOrExplain, type StandardInput } from '../apply/manifest-input.ts';
import { dryRunSuffix } from '../change/change-line.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { usageOf } from '../flags/options.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { reportErrors } from '../base/report-error.ts';
import { typeOfUnread } from '../select/type-named.ts';
import type { CreateFlags } from './create-object.ts';

/** The flags of `create -f`. */
export interface CreateFilesFlags extends CreateFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly kustomize: string | undefined;
  readonly selector: string | undefined;
  readonly validate: ApplyFlags['validate'];
}

/**
 * Creates the objects of manifests. An object that exists already is an error; the rest is created all the same. Pods
 * and workloads run in the background. Source: kubectl/pkg/cmd/create/create.go.
 */
export async function createFromFiles(cli: Cli, word: string | undefined, flags: CreateFilesFlags): Promise<number> {
  if (word !== undefined) throw usageOf('create', `unknown command "${word}" for "podrun create"`);
  const { filename, kustomize, dryRun } = flags;
  if (filename.length === 0 && kustomize === undefined) throw usageOf('create', 'must specify one of -f and -k');
  if (filename.length > 0 && kustomize !== undefined) throw usageOf('create', 'only one of -f or -k can be specified');
  const typed = filename.includes('-') ? await buffer(cli.stdin) : undefined;
  const stdin: StandardInput = async function* () {
    if (typed !== undefined) yield typed;
  };
  const { output: _output, template: _template, ...shared } = flags;
  const applyFlags: ApplyFlags = { ...APPLY_DEFAULTS, ...shared, detach: true, logs: false, annotations: 'none' };
  // The second reading warns.
  const isolation = { hasNamespaces: true, hasPodNetwork: true, hasNodes: true };
  const loaded = await loadOrExplain(cli.silenced(), applyFlags, isolation, stdin, 'create');
  if (!loaded.ok) return loaded.exitCode;
  const store = openStore(cli);
  const isDefined = definedKinds((resource) => store.list(resource), loaded.unread.filter(isOfKubernetes));
  const mistakes = loaded.unread.flatMap(({ object, noMatch }) => (noMatch && !isDefined(object) ? [noMatch] : []));
  if (mistakes.length > 0) {
    cli.stderr.write(`${renderManifestErrors(mistakes).join('\n')}\n`);
    return EXIT.usage;
  }
  // `--dry-run=client` reaches no server, which would generate names.
  const name = dryRun === 'client' ? (written: KubeObject) => written : named;
  const wanted = [
    ...loaded.objects.map((manifest) => newManifest(store, manifest, name)),
    ...loaded.unread.map((unread) => newUnread(cli, unread, { name, namespace: flags.namespace })),
  ];
  const fresh = wanted.filter(({ written, stored }) => !written.metadata.name || stored() === undefined);
  const errors = wanted.filter((each) => !fresh.includes(each)).map(existsAlready);
  const api = loaded.unread.length > 0 ? { api: true } : {};
  const exitCode = fresh.length === 0 ? EXIT.ok : await create(cli, fresh, flags, { ...applyFlags, ...api, dryRun });
  return Math.max(exitCode, reportErrors(cli.stderr, errors));
}

/** An object to create. */
interface WantedNew {
  /** As written, with a name. */
  readonly written: KubeObject;
  readonly file: string;
  readonly type: ResourceType;
  /** The stored object. Undefined: there is none. */
  readonly stored: () => KubeObject | undefined;
  /** The object as a server would store it. */
  readonly admitted: () => KubeObject;
}

type WithName = (written: KubeObject) => KubeObject;

const isOfKubernetes = ({ noMatch }: UnreadObject): boolean => noMatch === undefined;

function newManifest(store: FileStore, manifest: ManifestObject, name: WithName): WantedNew {
  const { file } = manifest;
  const written = name(manifest.written);
  const object = { ...manifest.object, metadata: { ...manifest.object.metadata, ...nameOf(written) } };
  return {
    written,
    file,
    type: resourceTypeOf(object),
    stored: () => recordOf(store, { ...manifest, object, written }),
    admitted: () => newObject(store, object),
  };
}

function newUnread(
  cli: Cli,
  unread: UnreadObject,
  { name, namespace }: { readonly name: WithName; readonly namespace: string | undefined },
): WantedNew {
  const { object, file } = unread;
  const written = name(object);
  const type = typeOfUnread(cli, unread);
  const store = openStore(cli);
  const place = type?.isNamespaced === true ? (object.metadata.namespace ?? namespace) : undefined;
  const at = { name: written.metadata.name ?? '', namespace: place ?? DEFAULT_NAMESPACE };
  return {
    written,
    file,
    // A definition among the manifests defines its kind.
    type: type ?? resourceTypeOf(object),
    stored: () => {
      const present = typeOfUnread(cli, unread);
      const reader = withClusterObjects(store, { stateDir: store.root, nowMs: cli.clock.now().wallMs });
      return present && getObject(reader, { type: present, ...at });
    },
    admitted: () => written,
  };
}

async function create(
  cli: Cli,
  fresh: readonly WantedNew[],
  flags: CreateFilesFlags,
  applyFlags: ApplyFlags,
): Promise<number> {
  const printer = objectPrinter(cli, flags);
  if (flags.dryRun === 'none') {
    const freshInput: StandardInput = async function* () {
      for (const { written } of fresh) yield Buffer.from(`${JSON.stringify(written)}\n---\n`);
    };
    const caller = printer === undefined ? cli : cli.silenced();
    const input = { filename: ['-'], kustomize: undefined, creates: true };
    const exitCode = await apply(caller, { ...applyFlags, ...input }, undefined, freshInput);
    if (printer === undefined || exitCode !== EXIT.ok) return exitCode;
  }
  for (const { written, type, stored, admitted } of fresh) {
    const printed = { client: () => written, server: admitted, none: () => stored() ?? written }[flags.dryRun]();
    const name = `${qualifiedKind(type)}/${written.metadata.name || '<unknown>'}`;
    if (printer === undefined) cli.tell(`${name} created${dryRunSuffix(flags.dryRun)}\n`);
    else cli.stdout.write(printer.print(printed));
  }
  return EXIT.ok;
}

/** An object with a name: with generateName, one that the server makes up. */
function named(written: KubeObject): KubeObject {
  const { name: given, generateName = '' } = written.metadata;
  if (given) return written;
  return { ...written, metadata: { ...written.metadata, name: generatedName(generateName, randomSuffix()) } };
}

function nameOf({ metadata: { name } }: KubeObject): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

/** The API server's error about an object that exists, with the file of the manifest. */
function existsAlready({ written, file, type }: WantedNew): PodrunError {
  const message = `error when creating ${JSON.stringify(file)}: ${qualifiedPlural(type)} `;
  return fromServer('AlreadyExists', `${message}${goQuote(written.metadata.name ?? '')} already exists`);
}
