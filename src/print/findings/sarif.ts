import { type Finding, FINDING_RULES, type FindingRule, type Findings } from '../../manifest/index.ts';
import { formatJson } from '../formats/base/json.ts';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

const RULE_IDS = Object.keys(FINDING_RULES) as FindingRule[];

/** The default levels of rules. All others are errors. */
const LEVELS: Readonly<Partial<Record<FindingRule, Finding['level']>>> = {
  'server-warning': 'warning',
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
