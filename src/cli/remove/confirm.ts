import { EXIT } from '../../api/errors.ts';
import { qualifiedKind } from '../../api/resource-types.ts';
import type { ObjectRef } from '../../run/object-ref.ts';
import { StandardOutput } from '../standard-output.ts';

/**
 * Asks on standard output whether these objects may be deleted; yes is the word `y`, and nothing else.
 * Source: kubectl/pkg/cmd/delete/delete.go confirmation.
 */
export async function isConfirmed(refs: readonly ObjectRef[]): Promise<boolean> {
  const names = refs.map(({ type, name }) => `${qualifiedKind(type)}/${name}\n`).join('');
  const out = new StandardOutput();
  // Who cannot see the question has not agreed.
  out.onReaderGone(() => process.exit(EXIT.nobodyReads));
  out.write(`You are about to delete the following ${refs.length} resource(s):\n${names}`);
  out.write('Do you want to continue? (y/n): ');
  return (await firstWord(process.stdin)).toLowerCase() === 'y';
}

/** The first word that is followed by something, or by the end. */
async function firstWord(input: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += chunk.toString();
    const word = /^\s*(\S+)\s/.exec(text)?.[1];
    if (word !== undefined) return word;
  }
  return text.trim();
}
