import type { Command } from 'commander';
import {
  DEFAULT_NAMESPACE,
  EXIT,
  fromServer,
  goQuote,
  isWorkload,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  qualifiedPlural,
  resourceTypeOf,
} from '../../api/index.ts';
import {
  applyDefaults,
  formatFieldError,
  loadManifests,
  type ManifestObject,
  prepareForCreate,
  validateObject,
  withHeading,
} from '../../manifest/index.ts';
import { LastApplied } from '../../store/index.ts';
import { keepRecord, newObject, recordOf, separateObjects } from '../../apiserver/index.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import { apply } from '../apply/apply-session.ts';
import { type DryRun, dryRunOption, dryRunSuffix } from '../change/change-line.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { usageErrorf } from '../flags/options.ts';
import type { PrintedObject } from '../../print/index.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';

/** The flags of every command that makes an object. */
export interface CreateFlags extends OutputFlags {
  readonly namespace: string | undefined;
  readonly dryRun: DryRun;
}

/** Adds the flags that all commands have that make an object. */
export function withCreateFlags(command: Command): Command {
  return withOutputFlags(command)
    .option('-n, --namespace <name>', 'namespace of the new object (default: "default")')
    .addOption(dryRunOption('create nothing; -o yaml prints the manifest'));
}

/** A new object, and kubectl's words about it. */
export interface WantedObject {
  readonly object: KubeObject;
  /** The beginning of kubectl's errors: `failed to create job: `. Undefined: kubectl shows the server's errors. */
  readonly failing?: string;
  readonly made?: 'autoscaled' | 'exposed';
  /** The flags with which a Pod or workload runs. Default: in the background. */
  readonly running?: Partial<ApplyFlags>;
}

/**
 * Creates an object. Pods and workloads run as `apply` runs them, in the background. Returns the exit code.
 * @throws {PodrunError} in kubectl's words, when the object exists already, or is not valid
 */
export async function createFromFlags(
  cli: Cli,
  { object: generated, failing, made, running }: WantedObject,
  flags: CreateFlags,
): Promise<number> {
  const { dryRun, namespace } = flags;
  const printer = objectPrinter(cli, flags);
  const type = resourceTypeOf(generated);
  const named = namespace !== undefined && type.isNamespaced;
  const object = named ? { ...generated, metadata: { ...generated.metadata, namespace } } : generated;
  const subject = `${qualifiedKind(type)}/${object.metadata.name}`;
  const tell = (printed: PrintedObject, line: string): number => {
    if (printer !== undefined) cli.stdout.write(printer.print(printed));
    else cli.tell(`${line}${dryRunSuffix(dryRun)}\n`);
    return EXIT.ok;
  };
  if (dryRun === 'client') return tell(object, `${subject} ${made ?? 'created'}`);
  const manifest = await checked(object, failing);
  const store = openStore(cli);
  if (recordOf(store, manifest) !== undefined) {
    const message = `${qualifiedPlural(type)} ${goQuote(object.metadata.name ?? '')} already exists`;
    throw failing === undefined
      ? fromServer('AlreadyExists', message)
      : new PodrunError('AlreadyExists', `${failing}${message}`);
  }
  if (dryRun === 'server') return tell(newObject(store, manifest.object), `${subject} ${made ?? 'created'}`);
  if (separateObjects([manifest]).records.length > 0) {
    const line = keepRecord(manifest, { store, clock: cli.clock, made, warn: cli.warn, trouble: cli.warn });
    return tell(recordOf(store, manifest) ?? object, line);
  }
  const { output, template } = flags;
  const detached: ApplyFlags = { ...APPLY_DEFAULTS, detach: true, output, template, ...running, namespace };
  const exitCode = await apply(cli, detached, undefined, () => oneChunk(object));
  // No manifest was applied: `rollout undo` must not warn of one. kubectl records one with --save-config only.
  if (isWorkload(manifest.object)) new LastApplied(store.root).forget(type.plural, manifest.object.metadata);
  return exitCode;
}

async function* oneChunk(object: KubeObject): AsyncGenerator<Uint8Array> {
  yield Buffer.from(JSON.stringify(object));
}

/** The object as the API server would take it: with defaults. @throws {PodrunError} in kubectl's words */
async function checked(object: KubeObject, failing = ''): Promise<ManifestObject> {
  const input = { file: 'STDIN', bytes: Buffer.from(JSON.stringify(object)) };
  const { objects, errors } = await loadManifests({ files: [input], command: 'create', mayBeEmpty: true });
  const [manifest] = objects;
  if (manifest !== undefined) return manifest;
  if (errors.length === 0) return storedOnly(object);
  const mistakes = errors.map((error) => ('error' in error ? formatFieldError(error.error) : error.message));
  const heading = `${object.kind} ${goQuote(object.metadata.name ?? '')} is invalid`;
  const whole = failing === '' ? `The ${heading}` : `${failing}${heading}`;
  throw new PodrunError('Invalid', withHeading(whole, mistakes).join('\n'));
}

/**
 * A kind that podrun only stores, which `apply` takes no manifest of.
 * @throws {PodrunError} in kubectl's words, when it is not valid
 */
function storedOnly(given: KubeObject): ManifestObject {
  const { isNamespaced } = resourceTypeOf(given);
  const { metadata } = given;
  const place = isNamespaced ? { namespace: metadata.namespace ?? DEFAULT_NAMESPACE } : {};
  const object = prepareForCreate(applyDefaults({ ...given, metadata: { ...metadata, ...place } }));
  const mistakes = validateObject(object);
  if (mistakes.length === 0) return { object, written: given, file: 'STDIN' };
  const heading = `The ${object.kind} ${goQuote(metadata.name ?? '')} is invalid`;
  throw new PodrunError('Invalid', withHeading(heading, mistakes.map(formatFieldError)).join('\n'));
}

/**
 * The only name on the command line.
 * @throws {PodrunError} (usage) when there is none, or more than one
 */
export function onlyName(verb: string, words: readonly string[]): string {
  const [name] = words;
  if (name !== undefined && words.length === 1) return name;
  throw usageErrorf(verb, `exactly one NAME is required, got ${words.length}`);
}
