import { expect, it } from 'vitest';
import { filesBelow, readText, sourcesBelow, type SourceFile } from './source.ts';

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
  [/\b(?:answers|answered|answering)\b/gi, 'returns, responds, resolves with; response'],
];

/** Names that say how a value was come by, not what it is. */
const NAMES = /(?<![\w$.'"`#-])(?:const|let|function) (?:asked|found|shown|told|isAsked|elsewhere|around|hands)\b/g;

/** Rooms that still have such words, with their number. Figures only go down; a room without any is not in the list. */
const left = JSON.parse(readText('test/architecture/english.json')) as Record<string, number>;

it('comments, names, test titles and pages are plain English', { timeout: 60_000 }, () => {
  const places = new Map<string, string[]>();
  for (const file of ['src', 'bench', 'bin', 'test'].flatMap(sourcesBelow)) {
    if (file.path === 'test/architecture/english.test.ts') continue;
    const room = file.path
      .split('/', 2)
      .join('/')
      .replace(/\/[^/]*\.\w+$/, '');
    const mistakes = mistakesOf(file);
    if (mistakes.length > 0) places.set(room, [...(places.get(room) ?? []), ...mistakes]);
  }
  const inDocs = filesBelow('docs', /\.md$/).flatMap((file) => dialectIn(file, proseOf(readText(file))));
  if (inDocs.length > 0) places.set('docs', inDocs);
  const more = [...places].filter(([room, mistakes]) => mistakes.length > (left[room] ?? 0));
  expect(
    more.flatMap(([room, mistakes]) => [`${room}: ${mistakes.length}, on record ${left[room] ?? 0}`, ...mistakes]),
  ).toEqual([]);
  expect(
    Object.keys(left).filter((room) => !places.has(room)),
    'rooms to take from english.json',
  ).toEqual([]);
});

/** Each word of the dialect in a file: in comments of the program, in titles of tests, in names of the program. */
function mistakesOf({ path, text }: SourceFile): string[] {
  const isTest = path.startsWith('test/');
  const words = dialectIn(path, isTest ? titlesOf(text) : commentsOf(text));
  const names = isTest ? [] : [...text.matchAll(NAMES)].map(([name]) => `${path}: ${name} (the value itself)`);
  return [...words, ...names];
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

function titlesOf(text: string): string[] {
  return [...text.matchAll(/\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)?\(\s*(['"`])((?:\\.|(?!\1).)*)\1/g)].map(
    ([, , title = '']) => title,
  );
}
