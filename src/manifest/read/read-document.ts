import type { DocumentText } from './documents.ts';
import { readJson } from './json-reader.ts';
import type { SourceNode } from './source-node.ts';
import { SourceError } from './source-text.ts';

/**
 * The values of one document: what begins with `{` may be several JSON objects, one after the other; what is not JSON
 * is one YAML value.
 * @throws SourceError when it cannot be read
 */
export async function readDocument({ source, failure }: DocumentText): Promise<SourceNode[]> {
  if (failure !== undefined) throw failure;
  if (source.text.trim() === '') return [];
  const json = readAsJson(source.text);
  if (json !== undefined) return json;
  // The YAML reader is large: who writes JSON does not wait for it.
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
