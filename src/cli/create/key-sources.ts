import { isUtf8 } from 'node:buffer';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { PodrunError, usage } from '../../api/index.ts';
import { checkKeys, envFileEntries, fileSourceOf, type KeyValue, literalOf } from '../../manifest/index.ts';
import { readUpTo } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';
import { append } from '../select/selection-flags.ts';

/** The flags about the content of a ConfigMap or Secret. */
export interface KeySourceFlags {
  readonly fromLiteral: readonly string[];
  readonly fromFile: readonly string[];
  readonly fromEnvFile: readonly string[];
}

/** Adds the flags about the content. */
export function withKeySources(command: Command): Command {
  return command
    .option('--from-literal <pair>', 'a key and its value, KEY=VALUE; may be given several times', append, [])
    .option('--from-file <file>', 'a file, KEY=FILE, or all files of a folder; may be given several times', append, [])
    .option('--from-env-file <file>', 'a file with lines KEY=VALUE; may be given several times', append, []);
}

/**
 * Reads the content that the flags name. Source: kubectl/pkg/cmd/create/create_configmap.go, create_secret.go.
 * @throws {PodrunError} in kubectl's words, for a file that cannot be read and for a wrong key
 */
export function readKeyValues(
  cli: Cli,
  { fromLiteral, fromFile, fromEnvFile }: KeySourceFlags,
  kind: 'ConfigMap' | 'Secret',
  name: string,
): readonly KeyValue[] {
  if (fromEnvFile.length > 0 && (fromFile.length > 0 || fromLiteral.length > 0)) {
    throw usage('from-env-file cannot be combined with from-file or from-literal');
  }
  const entries = [
    ...fromFile.flatMap((source) => filesAt(cli, source)),
    ...fromLiteral.map(literalOf),
    ...fromEnvFile.flatMap((file) => envFileEntries(readContent(cli, file).toString('utf8'), cli.env)),
  ];
  checkKeys(entries, kind, name);
  return entries;
}

/** The content of a ConfigMap: text in `data`, all else in `binaryData`. */
export function configMapData(entries: readonly KeyValue[]): object {
  const texts = entries.filter(({ value }) => isUtf8(value)).map(({ key, value }) => [key, value.toString('utf8')]);
  const others = entries.filter(({ value }) => !isUtf8(value));
  return {
    ...(texts.length === 0 ? {} : { data: Object.fromEntries(texts) as object }),
    ...(others.length === 0 ? {} : { binaryData: base64Data(others) }),
  };
}

/** The content of a Secret. */
export function base64Data(entries: readonly KeyValue[]): Readonly<Record<string, string>> {
  return Object.fromEntries(entries.map(({ key, value }) => [key, value.toString('base64')]));
}

function filesAt(cli: Cli, source: string): KeyValue[] {
  const { key, path: place } = fileSourceOf(source);
  if (!isFolder(cli, place)) return [{ key: key ?? path.basename(place), value: readContent(cli, place) }];
  if (key !== undefined) throw usage('cannot give a key name for a directory path');
  const names = filesIn(cli, place).toSorted();
  return names.map((name) => ({ key: name, value: readContent(cli, path.join(place, name)) }));
}

function isFolder({ pathOf }: Cli, file: string): boolean {
  return reading(file, () => statSync(pathOf(file)).isDirectory());
}

/** The names of the regular files in a folder. */
function filesIn({ pathOf }: Cli, folder: string): string[] {
  const entries = reading(folder, () => readdirSync(pathOf(folder), { withFileTypes: true }));
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** The largest object that the API server accepts, in bytes. */
const CONTENT_MAX_BYTES = 3 * 2 ** 20;

/** @throws {PodrunError} in kubectl's words */
export function readContent({ pathOf }: Cli, file: string): Buffer {
  return reading(file, () => readUpTo(pathOf(file), CONTENT_MAX_BYTES));
}

/** @throws {PodrunError} in kubectl's words */
function reading<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'no such file or directory' : message;
    throw new PodrunError('Usage', `error reading ${place}: ${reason}`);
  }
}
