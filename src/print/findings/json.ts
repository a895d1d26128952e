import type { Findings } from '../../manifest/index.ts';
import { formatJson } from '../formats/base/json.ts';

/** Formats findings for programs. docs/validate.md documents the fields, which do not change. */
export function renderFindingsJson({ findings, unreadable, files, objects }: Findings): string {
  const count = (level: string): number => findings.filter((finding) => finding.level === level).length;
  const records = findings.map(({ level, rule, file, line, column, object, path, message, hint }) => {
    return { level, rule, file, line, column, object: object ?? null, path, message, hint: hint ?? null };
  });
  const summary = { files, objects, errors: count('error'), warnings: count('warning'), notChecked: count('note') };
  return `${formatJson({ version: 1, summary, findings: records, unreadable }, '\n')}\n`;
}
