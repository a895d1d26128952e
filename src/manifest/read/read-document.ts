import type { DocumentText } from './documents.ts';
import { readJson } from './json-reader.ts';
import type { SourceNode } from './source-node.ts';
import { SourceError } from './source-text.ts';

/**
 * Reads the values of one document: a text that begins with `{` may be several JSON objects; any other text is one YAML
 * value.
 * @throws SourceError when the document cannot be read
 */
export async function readDocument({ source, failure }: DocumentText): Promise<SourceNode[]> {
  if (failure !== undefined) throw failure;
  if (source.text.trim() === '') return [];
  const json = readAsJson(source.text);
  if (json !== undefined) return json;
  // The YAML reader is large: load it only for YAML.
  const { readYaml } = await import('./yaml-reader.ts');
  return [readYaml(source)];
}

function readAsJson(text: string): SourceNode[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}
