import { buffer } from 'node:stream/consumers';
import { newObject, randomSuffix, recordOf } from '../../apiserver/index.ts';
import {
  EXIT,
  fromServer,
  goQuote,
  type PodrunError,
  qualifiedKind,
  qualifiedPlural,
  resourceTypeOf,
} from '../../api/index.ts';
import { generatedName } from '../../controllers/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
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
  const isolation = { hasNamespaces: true, hasPodNetwork: true };
  const loaded = await loadOrExplain(cli.silenced(), applyFlags, isolation, stdin, 'create');
  if (!loaded.ok) return loaded.exitCode;
  const store = openStore(cli);
  // `--dry-run=client` reaches no server, which would generate names.
  const objects = dryRun === 'client' ? loaded.objects : loaded.objects.map(named);
  const isNew = (manifest: ManifestObject): boolean =>
    !manifest.object.metadata.name || recordOf(store, manifest) === undefined;
  const fresh = objects.filter(isNew);
  const errors = objects.filter((manifest) => !isNew(manifest)).map(existsAlready);
  const exitCode = fresh.length === 0 ? EXIT.ok : await create(cli, fresh, flags, { ...applyFlags, dryRun });
  return Math.max(exitCode, reportErrors(cli.stderr, errors));
}

async function create(
  cli: Cli,
  fresh: readonly ManifestObject[],
  flags: CreateFilesFlags,
  applyFlags: ApplyFlags,
): Promise<number> {
  const printer = objectPrinter(cli.stdout, flags);
  if (flags.dryRun === 'none') {
    const freshInput: StandardInput = async function* () {
      for (const { written } of fresh) yield Buffer.from(`${JSON.stringify(written)}\n---\n`);
    };
    const caller = printer === undefined ? cli : cli.silenced();
    const exitCode = await apply(
      caller,
      { ...applyFlags, filename: ['-'], kustomize: undefined },
      undefined,
      freshInput,
    );
    if (printer === undefined || exitCode !== EXIT.ok) return exitCode;
  }
  const store = openStore(cli);
  for (const manifest of fresh) {
    const { object, written } = manifest;
    const name = `${qualifiedKind(resourceTypeOf(object))}/${object.metadata.name || '<unknown>'}`;
    const printed = {
      client: () => written,
      server: () => newObject(store, object),
      none: () => recordOf(store, manifest) ?? object,
    }[flags.dryRun]();
    if (printer === undefined) cli.tell(`${name} created${dryRunSuffix(flags.dryRun)}\n`);
    else cli.stdout.write(printer.print(printed));
  }
  return EXIT.ok;
}

/** An object with a name: with generateName, one that the server makes up. */
function named(manifest: ManifestObject): ManifestObject {
  const { object, written } = manifest;
  const { name: given, generateName = '' } = written.metadata;
  if (given) return manifest;
  const name = generatedName(generateName, randomSuffix());
  return {
    ...manifest,
    object: { ...object, metadata: { ...object.metadata, name } },
    written: { ...written, metadata: { ...written.metadata, name } },
  };
}

/** The API server's error about an object that exists, with the file of the manifest. */
function existsAlready({ object, file }: ManifestObject): PodrunError {
  const plural = qualifiedPlural(resourceTypeOf(object));
  const message = `error when creating ${JSON.stringify(file)}: ${plural} ${goQuote(object.metadata.name ?? '')}`;
  return fromServer('AlreadyExists', `${message} already exists`);
}
