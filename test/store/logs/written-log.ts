import path from 'node:path';
import { ContainerLog, type LogLimits } from '../../../src/store/logs/container-log.ts';
import type { LogRecord, LogStream } from '../../../src/store/logs/cri-line.ts';
import { instanceLogPath } from '../../../src/store/logs/log-files.ts';
import { type LogQuery, LogReader } from '../../../src/store/logs/log-reader.ts';
import { temporaryFolder } from '../temporary-store.ts';

export const START_MS: number = Date.UTC(2026, 10, 20, 20, 1, 2, 123);

/** The log of the first run of a container. */
export const newLogPath = (): string => instanceLogPath(path.join(temporaryFolder(), 'logs'), 'main', 0);

/** A chunk of a container's output. */
export interface Output {
  readonly stream: LogStream;
  readonly chunk: Buffer;
}

/** Writes a log, each chunk a millisecond after the previous one. */
export function writeAll(file: string, outputs: readonly Output[], limits?: LogLimits): void {
  const log = new ContainerLog(file, limits);
  for (const [index, { stream, chunk }] of outputs.entries()) log.write(stream, chunk, START_MS + index);
  log.close();
}

export function recordsOf(file: string, query: LogQuery = {}): LogRecord[] {
  const reader = new LogReader(file, query);
  const records: LogRecord[] = [];
  for (let next = reader.next(); next.length > 0; next = reader.next()) records.push(...next);
  reader.close();
  return records;
}

/** The output of `podrun logs` for one stream or both. */
export function bytesOf(records: readonly LogRecord[], stream?: LogStream): Buffer {
  const wanted = records.filter((record) => stream === undefined || record.stream === stream);
  return Buffer.concat(wanted.flatMap(({ content, isEnd }) => Buffer.from(isEnd ? `${content}\n` : content, 'latin1')));
}

export function textFrom(reader: LogReader): string {
  const seen: string[] = [];
  for (let next = reader.next(); next.length > 0; next = reader.next()) seen.push(bytesOf(next).toString());
  return seen.join('');
}

export const textOf = (file: string, query: LogQuery = {}): string => bytesOf(recordsOf(file, query)).toString();
export const out = (text: string): Output => ({ stream: 'stdout', chunk: Buffer.from(text) });
export const error = (text: string): Output => ({ stream: 'stderr', chunk: Buffer.from(text) });
