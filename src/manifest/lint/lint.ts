import { isKnownMedium, type KubeObject, PodrunError } from '../../api/index.ts';
import type { Finding, Findings } from './finding.ts';
import { loadManifests, type LoadResult } from '../check/load.ts';
import type { LoadedObject } from '../check/load-object.ts';
import type { DocumentProblem, Notice } from '../check/manifest-mistake.ts';
import { filesOf, type PlaceOf } from '../read/input.ts';
import { groupFieldsWithoutEffect, refusedFields } from '../support/find-fields.ts';
import { podIn } from '../base/pod-specs.ts';
import type { Isolation } from '../support/rule.ts';
import { errorFields, notChecked, placed, type PlacedFinding, RULE_OF } from './finding-at.ts';
import { judgedIn, type JudgeUnread, unreadFindings } from './unread-objects.ts';
import { type LooseReference, looseReferences } from './references.ts';

/** A line with kind or apiVersion, which only manifests have: a document with this line is meant as a manifest. */
const NAMES_KIND = /^(?:-\s+)?(?:apiVersion|kind)\s*:|^[ \t{[]*"(?:apiVersion|kind)"\s*:/m;

const READING = { mayBeEmpty: true, keepsUnread: true, checksUnread: true } as const;

export interface LintOptions {
  /** Files and folders. `-` is standard input. */
  readonly files: readonly string[];
  /** Read nested folders too. */
  readonly recursive: boolean;
  /** The places of named files, as in LoadOptions. */
  readonly pathOf?: PlaceOf | undefined;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Also report fields that podrun refuses to run, and fields without effect. */
  readonly runnable: boolean;
  /** The isolation of containers on this machine, on which effects depend. Default: none. */
  readonly isolation?: Isolation | undefined;
  /** Report documents that cannot be checked as errors instead of notes. */
  readonly noSkip: boolean;
  /** Returns the ConfigMaps and Secrets that manifests may name besides their own. Default: none. */
  readonly storedData?: (() => readonly KubeObject[]) | undefined;
  /** Judges the objects that only an API server knows. Default: nothing is known of their fields. */
  readonly judge?: JudgeUnread | undefined;
}

/**
 * Checks manifests as the API server does when they are created, and reports all findings. A file that is no manifest
 * gets a note: hooks and globs pass any .yaml file. Throws nothing for mistakes of the user.
 */
export async function lintManifests(options: LintOptions): Promise<Findings> {
  const results: LoadResult[] = [];
  const unreadable: string[] = [];
  let [files, objects] = [0, 0];
  for (const argument of options.files) {
    for (const file of await expanded(argument, options, unreadable)) {
      const { recursive, pathOf, stdin } = options;
      // `create` accepts generateName: it is no mistake in a manifest.
      const loaded = await loadManifests({ files: [file], recursive, pathOf, stdin, command: 'create', ...READING });
      const inputProblems = loaded.errors.flatMap((error) => (error.stage === 'input' ? [error.message] : []));
      unreadable.push(...inputProblems);
      if (inputProblems.length === 0) files += 1;
      objects += checkedObjects(loaded);
      results.push(loaded);
    }
  }
  const loose = looseIn(
    results.flatMap((result) => result.objects),
    options,
  );
  const judged = await judgedIn(results, options.judge);
  objects += [...judged.values()].filter(({ type }) => type === 'checked').length;
  const findings = results.flatMap((result) => {
    const own = loose.filter(({ from }) => result.objects.includes(from)).map(looseFinding);
    const unread = result.unread.flatMap((each) => unreadFindings(each, judged.get(each), options.noSkip));
    return [...findingsOf(result, options), ...unread, ...own].sort((a, b) => a.line - b.line || a.column - b.column);
  });
  return { findings, unreadable, files, objects };
}

/** Most manifests have their own ConfigMaps and Secrets, and what is stored is not read. */
function looseIn(objects: readonly LoadedObject[], { storedData }: LintOptions): LooseReference<LoadedObject>[] {
  const loose = looseReferences(objects);
  if (storedData === undefined || !loose.some(({ about }) => about === 'data')) return loose;
  return looseReferences(objects, { objects: storedData(), isAll: false });
}

function looseFinding({ from, path, message, hint }: LooseReference<LoadedObject>): Finding {
  const place = placed(from.subject, from.positionOf(path));
  return { ...place, level: 'warning', rule: 'loose-reference', path, message: `${path}: ${message}`, hint };
}

async function expanded(
  argument: string,
  { recursive, pathOf }: LintOptions,
  unreadable: string[],
): Promise<readonly string[]> {
  if (argument === '-') return [argument];
  try {
    return filesOf(argument, recursive, pathOf);
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    unreadable.push(error.message);
    return [];
  }
}

/** The number of objects of a known kind, with and without mistakes. */
function checkedObjects({ objects, unread, errors }: LoadResult): number {
  const wrong = errors.flatMap((error) =>
    error.stage === 'input' || error.stage === 'parse' || error.stage === 'kind' ? [] : [error.subject],
  );
  const judged = unread.flatMap(({ isChecked, subject }) => (isChecked ? [subject] : []));
  return objects.length + new Set([...wrong, ...judged]).size;
}

function findingsOf({ objects, errors, notices }: LoadResult, { runnable, isolation, noSkip }: LintOptions): Finding[] {
  const problems = errors.filter((error): error is DocumentProblem => error.stage !== 'input');
  const foreign = new Map(problems.map((problem) => [problem.subject, whyNoManifest(problem)]));
  const skipped = [...foreign].flatMap(([subject, why]) => {
    const first = problems.find((problem) => problem.subject === subject);
    return why === undefined || first === undefined ? [] : [notChecked(subject, first.position, why, noSkip)];
  });
  const wrong = problems.filter(({ subject }) => foreign.get(subject) === undefined);
  return [
    ...wrong.map(problemFinding),
    ...skipped,
    ...notices.map(noticeFinding),
    ...objects.flatMap(mediumFindings),
    ...(runnable ? objects.flatMap((object) => runnableFindings(object, isolation)) : []),
  ];
}

/** An API server takes any medium, and the kubelet then mounts nothing. */
function mediumFindings({ object, subject, positionOf }: LoadedObject): Finding[] {
  const inObject = podIn(object);
  return (inObject?.pod.spec?.volumes ?? []).flatMap(({ emptyDir }, index): Finding[] => {
    const { medium = '' } = emptyDir ?? {};
    if (isKnownMedium(medium)) return [];
    const path = `${inObject?.path ? `${inObject.path}.` : ''}spec.volumes[${index}].emptyDir.medium`;
    const message = `${path}: Invalid value: ${JSON.stringify(medium)}: unknown storage medium`;
    const hint = 'a kubelet knows Memory, HugePages and HugePages-SIZE';
    return [{ ...placed(subject, positionOf(path)), level: 'error', rule: 'invalid-value', path, message, hint }];
  });
}

function problemFinding(problem: DocumentProblem): Finding {
  const { stage, subject, error, position } = problem;
  const isMissing = stage === 'kind' && error.type === 'Required value';
  const rule = isMissing ? 'missing-kind' : RULE_OF[error.type];
  return {
    ...placed(subject, position),
    level: 'error',
    rule,
    ...errorFields(error),
    hint: templateHint(problem) ?? error.hint,
  };
}

function noticeFinding({ subject, text, position }: Notice): Finding {
  const path = /^[\w.[\]/-]+(?=: )/.exec(text)?.[0] ?? '';
  return {
    ...placed(subject, position),
    level: 'warning',
    rule: 'server-warning',
    path,
    message: text,
    hint: undefined,
  };
}

function runnableFindings(loaded: LoadedObject, isolation: Isolation | undefined): Finding[] {
  const { object, subject, positionOf } = loaded;
  const at = (path: string): PlacedFinding => placed(subject, positionOf(path));
  const refused = refusedFields(object).map((error): Finding => {
    return { ...at(error.path), level: 'error', rule: 'not-runnable', ...errorFields(error) };
  });
  const idle = groupFieldsWithoutEffect(object, isolation).flatMap(({ paths, note }) =>
    paths.map((path): Finding => {
      const text = `${path}: no effect here: ${note}`;
      return { ...at(path), level: 'warning', rule: 'no-effect', path, message: text, hint: undefined };
    }),
  );
  return [...refused, ...idle];
}

/**
 * The reason why a document is no Kubernetes object and was not meant as one: one sentence. Undefined for a wrong
 * manifest.
 */
function whyNoManifest({ stage, subject, error }: DocumentProblem): string | undefined {
  const { apiVersion, kind, name } = subject.identity;
  if (stage === 'parse') {
    if (NAMES_KIND.test(subject.source.text)) return undefined;
    return `no Kubernetes object, and cannot be read: ${error.detail}`;
  }
  if (stage !== 'kind') return undefined;
  if (error.type === 'Invalid type' && NAMES_KIND.test(subject.source.text)) return undefined;
  // A document with metadata.name is a manifest without a kind.
  if (apiVersion !== '' || kind !== '' || name !== '') return undefined;
  return 'no Kubernetes object: it has neither apiVersion nor kind';
}

/** Advice about an unreadable document that is a template. Undefined for other documents. */
function templateHint({ stage, subject }: DocumentProblem): string | undefined {
  if (stage !== 'parse' || !subject.source.text.includes('{{')) return undefined;
  return 'it looks like a template: check the rendered manifest with helm template . | podrun validate -';
}
