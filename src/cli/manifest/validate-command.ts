import { EXIT, PodrunError } from '../../api/errors.ts';
import type { Findings } from '../../api/finding.ts';
import { lintManifests } from '../../manifest/lint/lint.ts';
import { renderAnnotation } from '../../print/findings/github.ts';
import { renderFindingsJson } from '../../print/findings/json.ts';
import { renderSarif } from '../../print/findings/sarif.ts';
import { findingsSummary, renderFinding } from '../../print/findings/text.ts';
import { StandardOutput } from '../standard-output.ts';
import { version } from '../../run/version.ts';
import { painterFor } from '../view/painter-for.ts';
import type { ValidateFlags, ValidateOutput } from './validate.ts';
import { printError } from '../standard-streams.ts';

/** `podrun validate`: flags in, exit code out. */
export async function validateCommand(flags: ValidateFlags): Promise<number> {
  const { filename, recursive, runnable, quiet, strict, output = 'text' } = flags;
  if (filename.length === 0) {
    throw new PodrunError('error: must specify one of -f and FILE', {
      exitCode: EXIT.usage,
      hint: "See 'podrun validate --help' for usage.",
    });
  }
  const stdin = (): AsyncIterable<Uint8Array> => process.stdin;
  const all = await lintManifests({ files: filename, recursive, stdin, runnable, noSkip: !flags.skip });
  const told = quiet ? { ...all, findings: all.findings.filter(({ level }) => level === 'error') } : all;
  new StandardOutput().write(await render(told, output));
  for (const problem of all.unreadable) printError(`error: ${problem}\n`);
  const isNothingRead = all.files === 0 && all.unreadable.length > 0;
  if (output === 'text' && !quiet && !isNothingRead) printError(findingsSummary(all));
  if (all.unreadable.length > 0) return EXIT.usage;
  const isWrong = all.findings.some(({ level }) => level === 'error' || (strict && level === 'warning'));
  return isWrong ? EXIT.failed : EXIT.ok;
}

async function render(told: Findings, output: ValidateOutput): Promise<string> {
  switch (output) {
    case 'json':
      return renderFindingsJson(told);
    case 'sarif':
      return renderSarif(told, version);
    case 'github':
      return told.findings.map(renderAnnotation).join('');
    case 'text':
      break;
  }
  const painter = await painterFor('stdout');
  return told.findings.map((finding) => renderFinding(finding, painter)).join('');
}
