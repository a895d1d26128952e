import { readDocument } from './read-document.ts';
import { nodeValue } from './source-node.ts';
import { SourceText } from './source-text.ts';

/**
 * Reads JSON or YAML from the command line as kubectl does. Returns null for an empty text.
 * @throws SourceError when the text cannot be read
 */
export function readValue(text: string): unknown {
  const [root] = readDocument({ source: new SourceText(text, 1) });
  return root === undefined ? null : nodeValue(root);
}
