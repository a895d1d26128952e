import { isUtf8 } from 'node:buffer';
import { readJson } from './json-reader.ts';
import { MAX_DOCUMENT_BYTES } from './limits.ts';
import { nodeValue, SourceError, type SourceNode, SourceText } from './source-node.ts';
import { readYaml } from './yaml-reader.ts';

/** One document of a file: its text, or the error that kept it from being read. */
export interface DocumentText {
  readonly source: SourceText;
  readonly failure?: SourceError;
}

const SEPARATOR = '---';

/**
 * Splits a file into documents before parsing YAML, as kubectl does: a line that starts with `---` ends a document.
 * Source: k8s.io/apimachinery/pkg/util/yaml/decoder.go.
 * @param bytes the whole file
 * @param limit the most bytes that a document may have
 */
export function cutDocuments(bytes: Buffer, limit: number = MAX_DOCUMENT_BYTES): DocumentText[] {
  const documents: DocumentText[] = [];
  let start = 0;
  let line = 1;
  for (let at = nextSeparator(bytes, 0); at !== -1; at = nextSeparator(bytes, start)) {
    documents.push(documentOf(bytes.subarray(start, at), line, limit));
    line += countLines(bytes, start, at);
    const end = lineEnd(bytes, at);
    const rest = bytes.toString('utf8', at + SEPARATOR.length, end).trim();
    if (rest !== '' && !rest.startsWith('#')) {
      const source = new SourceText(bytes.toString('utf8', at, end), line);
      documents.push({ source, failure: new SourceError(`invalid Yaml document separator: ${rest}`, 0) });
    }
    line += 1;
    start = Math.min(end + 1, bytes.length);
  }
  documents.push(documentOf(bytes.subarray(start), line, limit));
  return documents;
}

/** The offset of the next line that starts with `---`, or -1. */
function nextSeparator(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(SEPARATOR, from);
  while (at > from && bytes[at - 1] !== LINE_FEED) at = bytes.indexOf(SEPARATOR, lineEnd(bytes, at));
  return at;
}

const LINE_FEED = 0x0a;

function lineEnd(bytes: Buffer, from: number): number {
  const end = bytes.indexOf(LINE_FEED, from);
  return end === -1 ? bytes.length : end;
}

function countLines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED, from); at !== -1 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

function documentOf(bytes: Buffer, line: number, limit: number): DocumentText {
  if (bytes.length > limit) {
    const failure = new SourceError(`Request entity too large: limit is ${limit}`, 0);
    return { source: new SourceText('', line), failure };
  }
  if (!isUtf8(bytes)) return notUtf8(bytes, line);
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  return { source: new SourceText(text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text, line) };
}

function notUtf8(bytes: Buffer, line: number): DocumentText {
  // Decoding replaces each sequence that is not UTF-8. Offsets up to the first one stay the same.
  const text = bytes.toString('utf8').replaceAll(/\r\n?/g, '\n');
  const offset = text.indexOf('\ufffd');
  const isUtf16 = /^[\xff\xfe]{2}/.test(bytes.toString('latin1', 0, 2));
  const hint = isUtf16 ? 'the file is UTF-16, save it as UTF-8' : 'save the file as UTF-8';
  return { source: new SourceText(text, line), failure: new SourceError('yaml: invalid UTF-8', offset, hint) };
}

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

/**
 * Reads JSON or YAML from the command line as kubectl does. Returns null for an empty text.
 * @throws SourceError when the text cannot be read
 */
export function readValue(text: string): unknown {
  const [root] = readDocument({ source: new SourceText(text, 1) });
  return root === undefined ? null : nodeValue(root);
}
