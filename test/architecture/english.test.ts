import { expect, it } from 'vitest';
import { filesBelow, nodesOf, readText, sourcesBelow, type AstNode, type SourceFile } from './source.ts';

/** Words of podrun's former dialect, each with plain ones to write in its place. */
const DIALECT: ReadonlyArray<readonly [pattern: RegExp, instead: string]> = [
  [/\btold\b/gi, 'reported, notified, requested'],
  [/\baround\b/gi, 'surrounding, outer, parent, before and after'],
  [/(?<!by )\bhands?\b(?!-)/gi, 'passes, gives; client, runner'],
  [/\b(?:go|goes|going|went|gone) on\b/gi, 'continues, keeps, resumes'],
  [/\b(?:is|are|was|were|be) there\b/gi, 'exists, is present, is installed'],
  [/\b(?:nobody|somebody|whoever)\b/gi, 'the reader, client or agent that is meant; no, unused'],
  [/\b(?:that|those) of\b/gi, 'the noun again, or a genitive'],
  [/\bthose (?:that|which|who|whose)\b|\bthe ones? (?:that|who|which)\b/gi, 'the noun again'],
  [/\bothers\b|\bother ones?\b/gi, 'other Pods, the rest, further fields'],
  [/\bas (?:it is|they are|it was|they were)\b(?! [a-z])/gi, 'unchanged, as written'],
  [/\b(?:answers|answered(?! by)|answering)\b/gi, 'returns, responds, resolves with; response'],
];

/** Names that say how a value was come by, not what it is. */
const NAMES = new RegExp(
  '^(?:asked|found|shown|told|isAsked|elsewhere|around|hands|answered)$|' +
    '(?:Hands|Around|Told|Elsewhere|Nobody|Somebody|GoOn)(?![a-z])|' +
    '^(?:around|goOn|goesOn|nobody|somebody)(?![a-z])',
);

/** Texts that keep such a word: the words of Kubernetes, or of a protocol. */
const ALLOWED: ReadonlyArray<{ readonly file: string; readonly text: RegExp; readonly reason: string }> = [
  {
    file: 'src/server/openapi/type-schemas.ts',
    text: /^Time is a wrapper around time\.Time/,
    reason: "Kubernetes' own description of the type",
  },
];

const sources = ['src', 'bench', 'bin', 'test'].flatMap(sourcesBelow);
const pages = [...filesBelow('docs', /\.md$/), 'README.md'];

it('comments, messages, names, test titles and pages are plain English', () => {
  const mistakes = [
    ...sources.filter(({ path }) => path !== 'test/architecture/english.test.ts').flatMap(mistakesOf),
    ...pages.flatMap((file) => dialectIn(file, proseOf(readText(file)))),
  ];
  expect(mistakes).toEqual([]);
});

/** The dialect in a file: of a test, in its titles; else in comments, and of the program also in messages and names. */
function mistakesOf(file: SourceFile): string[] {
  const { path, text } = file;
  if (path.startsWith('test/')) return dialectIn(path, titlesOf(text));
  const inComments = dialectIn(path, commentsOf(text));
  if (!path.startsWith('src/') || !path.endsWith('.ts')) return inComments;
  const nodes = nodesOf(file.ast);
  const names = nodes.flatMap(declaredNames).filter((name) => NAMES.test(name));
  const messages = nodes.flatMap(textsOf).filter((message) => !isAllowed(path, message));
  return [...inComments, ...dialectIn(path, messages), ...names.map((name) => `${path}: ${name} (the value itself)`)];
}

function isAllowed(path: string, message: string): boolean {
  return ALLOWED.some(({ file, text }) => file === path && text.test(message));
}

function dialectIn(file: string, parts: readonly string[]): string[] {
  return parts.flatMap((part) =>
    DIALECT.flatMap(([pattern, instead]) =>
      [...part.matchAll(pattern)].map(([word]) => `${file}: "${word}" (${instead}) in: ${part.trim().slice(0, 100)}`),
    ),
  );
}

/** The lines of a page, without commands and quotations. */
function proseOf(page: string): string[] {
  const lines = page.split('\n').filter((line) => !line.startsWith('    '));
  return lines.map((line) => line.replaceAll(/`[^`]*`/g, ''));
}

/** The comments of a text, each on one line: blocks, lines that follow each other, ends of lines. */
function commentsOf(text: string): string[] {
  const blocks = text.match(/^[ \t]*\/\*(?:[^*]|\*(?!\/))*\*\//gm) ?? [];
  const lines = text.match(/(?:^[ \t]*\/\/.*\n)+/gm) ?? [];
  const ends = text.match(/(?<=[;,{}()] )\/\/ .*$/gm) ?? [];
  return [...blocks, ...lines, ...ends].map((comment) =>
    comment.replaceAll(/\s+(?:\*|\/\/)?\s*/g, ' ').replaceAll(/`[^`]*`|@param \w+/g, ''),
  );
}

/** The texts of a node: a string, or a piece of a template. */
function textsOf(node: AstNode): string[] {
  const text = node.type === 'TemplateElement' ? (node['value'] as { cooked?: unknown }).cooked : node['value'];
  return (node.type === 'Literal' || node.type === 'TemplateElement') && typeof text === 'string' ? [text] : [];
}

/** The names that a node declares: variables, parameters, functions, types and members. */
function declaredNames(node: AstNode): string[] {
  if (node.type === 'VariableDeclarator') return identifiersIn(node['id']);
  const own = identifiersIn(node['id'] ?? (isMember(node) ? node['key'] : undefined));
  return [...own, ...(Array.isArray(node['params']) ? node['params'].flatMap(identifiersIn) : [])];
}

function isMember({ type }: AstNode): boolean {
  return /^(?:TSPropertySignature|TSMethodSignature|PropertyDefinition|MethodDefinition)$/.test(type);
}

/** The names in a pattern: of its parts, without the keys that they are taken from. */
function identifiersIn(pattern: unknown): string[] {
  if (typeof pattern !== 'object' || pattern === null) return [];
  const { type, name, properties, elements, left, value, argument } = pattern as AstNode;
  if (type === 'Identifier' || type === 'PrivateIdentifier') return [name as string];
  return [properties, elements]
    .flatMap((parts) => (Array.isArray(parts) ? parts.flatMap(identifiersIn) : []))
    .concat([left, value, argument].flatMap(identifiersIn));
}

function titlesOf(text: string): string[] {
  return [...text.matchAll(/\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(
    ([, , title = '']) => title,
  );
}
