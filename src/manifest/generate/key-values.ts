import { configKeyMessages, envNameMessages, goQuote, usage } from '../../api/index.ts';

/** A key with its content. */
export interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
}

/**
 * Reads `--from-literal`. Source: kubectl/pkg/util/util.go ParseLiteralSource.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function literalOf(source: string): KeyValue {
  const equals = source.indexOf('=');
  if (equals <= 0) throw usage(`invalid literal source ${source}, expected key=value`);
  return { key: source.slice(0, equals), value: Buffer.from(source.slice(equals + 1)) };
}

/**
 * Reads `--from-file`. The key is undefined when the user gave none. Source: kubectl/pkg/util/util.go ParseFileSource.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function fileSourceOf(source: string): { readonly key: string | undefined; readonly path: string } {
  const [key = '', path, ...rest] = source.split('=');
  if (path === undefined) return { key: undefined, path: key };
  if (rest.length > 0) throw usage("key names or file paths cannot contain '='");
  if (key === '') throw usage(`key name for file path ${path} missing`);
  if (path === '') throw usage(`file path for key name ${key} missing`);
  return { key, path };
}

/**
 * Reads the text of `--from-env-file`: a line `KEY` has the value of that variable. Source: util/env_file.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function envFileEntries(text: string, env: Readonly<Record<string, string | undefined>>): KeyValue[] {
  const lines = text.split(/\r?\n/).map((line) => line.trimStart());
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const equals = line.indexOf('=');
      const key = equals < 0 ? line : line.slice(0, equals);
      const wrong = envNameMessages(key);
      if (wrong.length > 0) throw usage(`${goQuote(key)} is not a valid key name: ${wrong.join(';')}`);
      return { key, value: Buffer.from(equals < 0 ? (env[key] ?? '') : line.slice(equals + 1)) };
    });
}

/**
 * Refuses wrong and repeated keys. Source: kubectl/pkg/cmd/create/create_configmap.go, create_secret.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function checkKeys(entries: readonly KeyValue[], kind: 'ConfigMap' | 'Secret', name: string): void {
  const seen = new Set<string>();
  for (const { key } of entries) {
    const wrong = configKeyMessages(key);
    const verb = kind === 'Secret' ? 'is not valid key name for a Secret' : 'is not a valid key name for a ConfigMap:';
    if (wrong.length > 0) throw usage(`${goQuote(key)} ${verb} ${wrong.join(',')}`);
    const where = kind === 'Secret' ? '' : ` in Data for ConfigMap ${goQuote(name)}`;
    const quoted = kind === 'Secret' ? key : goQuote(key);
    if (seen.has(key)) throw usage(`cannot add key ${quoted}, another key by that name already exists${where}`);
    seen.add(key);
  }
}
