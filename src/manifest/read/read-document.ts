import type { DocumentText } from './documents.ts';
import { readJson } from './json-reader.ts';
import type { SourceNode } from './source-node.ts';
import { SourceError } from './source-text.ts';
import { readYaml } from './yaml-reader.ts';

/**
 * Reads the values of one document: a text that begins with `{` may be several JSON objects; any other text is one YAML
 * value.
 * @throws SourceError when the document cannot be read
 */
export function readDocument({ source, failure }: DocumentText): SourceNode[] {
  if (failure !== undefined) throw failure;
  if (source.text.trim() === '') return [];
  return readAsJson(source.text) ?? [readYaml(source)];
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
