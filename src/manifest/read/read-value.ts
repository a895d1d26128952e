import { readDocument } from './read-document.ts';
import { plainValue } from './source-node.ts';
import { SourceText } from './source-text.ts';

/**
 * The value that a text holds, JSON or YAML, as kubectl reads what stands on its command line; null for an empty text.
 * @throws SourceError when it cannot be read
 */
export async function readValue(text: string): Promise<unknown> {
  const [root] = await readDocument({ source: new SourceText(text, 1) });
  return root === undefined ? null : plainValue(root);
}
