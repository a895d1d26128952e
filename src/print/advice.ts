import { type Advice, type AdviceSeverity, type Basis, counted, type RunAdvice } from '../history/index.ts';
import { briefDuration } from './base/age.ts';
import { formatJson } from './formats/base/json.ts';
import type { Painter, Tone } from './text/painter.ts';

const TONES = { problem: 'bad', risk: 'info', tuning: 'muted' } as const satisfies Record<AdviceSeverity, Tone>;

/** Formats advice for people: field, value, reason; the worst first. @param run name of the run: `web@1` */
export function renderAdvice(run: string, { advice, basis }: RunAdvice, painter: Painter): string {
  const from = basisText(basis);
  if (advice.length === 0) return `${run}: nothing to advise, from ${from}\n`;
  const counts = (['problem', 'risk', 'tuning'] as const).flatMap((severity) => {
    const count = advice.filter((item) => item.severity === severity).length;
    return count === 0 ? [] : [severity === 'tuning' ? `${count} to tune` : counted(count, severity)];
  });
  const parts = advice.map((item) => `\n${render(item, painter)}`).join('');
  return `${run}: ${counts.join(', ')}, from ${from}\n${parts}`;
}

function render(advice: Advice, painter: Painter): string {
  const { severity, container, rule, what, evidence } = advice;
  const head = painter.tone(TONES[severity], `${severity.padEnd(8)} ${container ?? 'Pod'}: ${rule}`);
  return `${head}\n  ${fieldText(advice)}\n  ${evidence}\n  ${what}\n`;
}

/** `spec.…timeoutSeconds: 1 -> 3`, or only the path when there is no value to set. */
function fieldText({ path, current, suggested }: Advice): string {
  if (suggested === undefined) return path;
  if (suggested === null) return `${path}: leave it out`;
  return current === undefined ? `${path}: add ${flow(suggested)}` : `${path}: ${flow(current)} -> ${flow(suggested)}`;
}

/** Formats a value as YAML on one line. */
function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
    return `{ ${fields.map(([name, field]) => `${name}: ${flow(field)}`).join(', ')} }`;
  }
  return typeof value === 'string' && !/^[\w/.][\w./:-]*$/.test(value) ? JSON.stringify(value) : String(value);
}

function basisText({ lengthMs, starts, stops, probeAttempts, measured }: Basis): string {
  const parts = [
    ...(starts > 0 ? [counted(starts, 'start')] : []),
    ...(stops > 0 ? [counted(stops, 'stop')] : []),
    ...(probeAttempts > 0 ? [counted(probeAttempts, 'probe attempt')] : []),
    ...(measured > 0 ? [`the use of ${counted(measured, 'run')}`] : []),
  ];
  const length = briefDuration(lengthMs);
  return parts.length === 0 ? `${length} without a start` : `${length} with ${parts.join(', ')}`;
}

/** Formats advice for programs. docs/advise.md documents the fields, which do not change. */
export function renderAdviceJson(run: string, { namespace, name, uid, basis, advice }: RunAdvice): string {
  const records = advice.map(({ rule, severity, container, path, current, suggested, what, evidence, samples }) => {
    const toSet = suggested === undefined ? {} : { suggested };
    return {
      rule,
      severity,
      container: container ?? null,
      path,
      current: current ?? null,
      ...toSet,
      what,
      evidence,
      samples,
    };
  });
  return `${formatJson({ version: 1, run, pod: { namespace, name, uid }, basis, advice: records }, '\n')}\n`;
}
