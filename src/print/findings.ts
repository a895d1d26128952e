import { counted } from '../history/index.ts';
import { type Finding, FINDING_RULES, type FindingRule, type Findings } from '../manifest/index.ts';
import { formatJson } from './formats/base/json.ts';
import { annotationProperty, annotationText } from './live/annotation.ts';
import type { Painter, Tone } from './text/painter.ts';

const TONES = { error: 'bad', warning: 'info', note: 'muted' } as const satisfies Record<Finding['level'], Tone>;

/** The number of columns shown of a long line, before and after the position. */
const EXCERPT_COLUMNS = 100;
const MARGIN_COLUMNS = 30;

/**
 * Formats a finding for people: a line in a format that editors and CI systems read, and below it the line of the
 * manifest with a caret.
 */
export function renderFinding(finding: Finding, painter: Painter): string {
  const { file, line, column, level, object, message, hint } = finding;
  const tone = TONES[level];
  const subject = object === undefined ? '' : `${object.kind}${object.name === '' ? '' : ` ${object.name}`}: `;
  const advice = hint === undefined ? '' : ` - ${hint}`;
  const head = `${file}:${line}:${column}: ${painter.tone(tone, `${level}:`)} ${subject}${message}${advice}\n`;
  return level === 'note' ? head : head + excerptOf(finding, (text) => painter.tone(tone, text), painter);
}

function excerptOf({ line, column, excerpt }: Finding, mark: (text: string) => string, painter: Painter): string {
  if (excerpt.trim() === '') return '';
  const start = column - 1 > EXCERPT_COLUMNS - MARGIN_COLUMNS ? column - 1 - MARGIN_COLUMNS : 0;
  const isCut = excerpt.length > start + EXCERPT_COLUMNS;
  const cut = (start > 0 ? '…' : '') + excerpt.slice(start, start + EXCERPT_COLUMNS) + (isCut ? '…' : '');
  const before = (start > 0 ? '…' : '') + excerpt.slice(start, column - 1);
  const gutter = String(line).padStart(5);
  const bar = painter.tone('muted', `${gutter} |`);
  const emptyBar = painter.tone('muted', `${' '.repeat(gutter.length)} |`);
  return `${bar} ${plain(cut)}\n${emptyBar} ${before.replaceAll(/./gsu, ' ')}${mark('^')}\n`;
}

/** Replaces control characters, which would move the cursor, with blanks. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

/** `2 errors and 1 warning in 3 objects of 2 files; 1 skipped`. */
export function findingsSummary({ findings, files, objects }: Findings): string {
  const count = (level: Finding['level']): number => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings, notes] = [count('error'), count('warning'), count('note')];
  const counts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  const verdict = counts.length === 0 ? 'nothing wrong' : counts.join(' and ');
  const skipped = notes === 0 ? '' : `; ${notes} not checked`;
  return `${verdict} in ${counted(objects, 'object')} of ${counted(files, 'file')}${skipped}\n`;
}

/** Formats findings for programs. docs/validate.md documents the fields, which do not change. */
export function renderFindingsJson({ findings, unreadable, files, objects }: Findings): string {
  const count = (level: string): number => findings.filter((finding) => finding.level === level).length;
  const records = findings.map(({ level, rule, file, line, column, object, path, message, hint }) => {
    return { level, rule, file, line, column, object: object ?? null, path, message, hint: hint ?? null };
  });
  const summary = { files, objects, errors: count('error'), warnings: count('warning'), notChecked: count('note') };
  return `${formatJson({ version: 1, summary, findings: records, unreadable }, '\n')}\n`;
}

/**
 * Formats a finding as a workflow command of GitHub Actions, which shows it beside the line of the file. Empty for a
 * note, since GitHub shows only a limited number.
 */
export function renderAnnotation({ level, file, line, column, object, message, hint }: Finding): string {
  if (level === 'note') return '';
  const subject = object === undefined || object.name === '' ? '' : `${object.kind} ${object.name}: `;
  const text = `${subject}${message}${hint === undefined ? '' : ` - ${hint}`}`;
  const location = `file=${annotationProperty(file)},line=${line},col=${column}`;
  return `::${level} ${location}::${annotationText(text)}\n`;
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

const RULE_IDS = Object.keys(FINDING_RULES) as FindingRule[];

/** The default levels of rules. A rule that is missing here has the level error. */
const LEVELS: Readonly<Partial<Record<FindingRule, Finding['level']>>> = {
  'undefined-kind': 'warning',
  'server-warning': 'warning',
  'loose-reference': 'warning',
  'no-effect': 'warning',
  'not-checked': 'note',
};

/**
 * Formats findings as SARIF 2.1.0 (OASIS) for code scanning: every rule, and a result with a position for each finding.
 * Skipped and unreadable files become notifications of the run: as results they would become alerts.
 * @param version version of podrun
 */
export function renderSarif({ findings, unreadable }: Findings, version: string): string {
  const driver = { name: 'podrun', semanticVersion: version, rules: RULE_IDS.map(ruleOf) };
  const notes = findings.filter(({ level }) => level === 'note');
  const invocation = {
    executionSuccessful: unreadable.length === 0,
    toolExecutionNotifications: [
      ...unreadable.map((text) => ({ level: 'error', message: { text } })),
      ...notes.map((note) => ({ level: 'note', message: messageOf(note), locations: locationsOf(note) })),
    ],
  };
  const run = {
    tool: { driver },
    columnKind: 'utf16CodeUnits',
    invocations: [invocation],
    results: findings.filter(({ level }) => level !== 'note').map(resultOf),
  };
  return `${formatJson({ $schema: SCHEMA, version: '2.1.0', runs: [run] }, '\n')}\n`;
}

function ruleOf(id: FindingRule): unknown {
  const text = FINDING_RULES[id];
  return {
    id,
    name: id.replaceAll(/(?:^|-)(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    shortDescription: { text },
    fullDescription: { text },
    help: { text: `${text} See docs/validate.md of podrun.` },
    defaultConfiguration: { level: LEVELS[id] ?? 'error' },
    properties: { tags: ['kubernetes'] },
  };
}

function resultOf(finding: Finding): unknown {
  const { rule, level } = finding;
  const ruleIndex = RULE_IDS.indexOf(rule);
  return { ruleId: rule, ruleIndex, level, message: messageOf(finding), locations: locationsOf(finding) };
}

function messageOf({ object, message, hint }: Finding): unknown {
  const subject = object === undefined || object.name === '' ? '' : `${object.kind} ${object.name}: `;
  return { text: `${subject}${message}${hint === undefined ? '' : ` - ${hint}`}` };
}

function locationsOf({ file, line, column, excerpt, path }: Finding): unknown[] {
  const region = {
    startLine: line,
    startColumn: column,
    ...(excerpt === '' ? {} : { snippet: { text: excerpt } }),
  };
  const physicalLocation = { artifactLocation: artifactOf(file), region };
  return [path === '' ? { physicalLocation } : { physicalLocation, logicalLocations: [{ fullyQualifiedName: path }] }];
}

/** The location of a file: a relative path, as code scanning wants it, or a URL. */
function artifactOf(file: string): unknown {
  const uri = file
    .replace(/^(?:\.\/)+/, '')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return file.startsWith('/') ? { uri: `file://${uri}` } : { uri, uriBaseId: '%SRCROOT%' };
}
