import { appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../../src/api/base/errors.ts';
import { appendToJournal, Journal, ProbeJournalReader } from '../../../src/store/logs/probe-journal.ts';
import { temporaryFolder } from '../temporary-store.ts';

const WRITTEN_MS = Date.UTC(2026, 0, 15);

const newJournal = (): string => path.join(temporaryFolder(), 'probes.ndjson');

function numbersIn(reader: ProbeJournalReader): number[] {
  const entries: unknown[] = [];
  for (let next = reader.next(); next.length > 0; next = reader.next()) entries.push(...next);
  return entries.map((entry) => (entry as { n: number }).n);
}

describe('a probe journal', () => {
  it('keeps the latest entries within its limits', () => {
    const file = newJournal();
    const limits = { fileBytesMax: 100, filesMax: 2 };
    for (let n = 10; n < 60; n++) appendToJournal(file, { n }, WRITTEN_MS + n, limits);
    const folder = path.dirname(file);
    const sizes = readdirSync(folder).map((name) => statSync(path.join(folder, name)).size);
    expect(sizes).toHaveLength(2);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);
    const kept = numbersIn(new ProbeJournalReader(file));
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 60 - kept.length + index));
    // A file holds eleven lines, and the older file is full.
    expect(kept.length).toBeGreaterThan(11);
  });

  it('is read on while it is written, over files that are put aside', () => {
    const file = newJournal();
    const reader = new ProbeJournalReader(file);
    expect(numbersIn(reader)).toEqual([]);
    const limits = { fileBytesMax: 30, filesMax: 2 };
    for (let n = 10; n < 30; n++) {
      appendToJournal(file, { n }, WRITTEN_MS + n, limits);
      expect(numbersIn(reader)).toEqual([n]);
    }
  });

  it('resumes behind a line that a crash has torn', () => {
    const file = newJournal();
    appendToJournal(file, { n: 1 }, WRITTEN_MS);
    appendFileSync(file, '{"n":');
    appendToJournal(file, { n: 2 }, WRITTEN_MS);
    expect(numbersIn(new ProbeJournalReader(file))).toEqual([1, 2]);
  });

  it('of a Pod that was removed stays away', () => {
    const file = path.join(temporaryFolder(), 'gone', 'probes.ndjson');
    appendToJournal(file, { n: 1 }, WRITTEN_MS);
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  it('that cannot be written says so in a sentence', () => {
    expect(() => appendToJournal('/dev/full', { n: 1 }, WRITTEN_MS)).toThrow(PodrunError);
  });
});

describe('a journal that stays open', () => {
  it('loses nothing when a file is rotated, and continues an existing file', () => {
    const file = newJournal();
    appendToJournal(file, { n: 9 }, WRITTEN_MS);
    const reader = new ProbeJournalReader(file);
    expect(numbersIn(reader)).toEqual([9]);
    const journal = new Journal(file, { fileBytesMax: 30, filesMax: 2 });
    for (let n = 10; n < 30; n++) {
      journal.append({ n }, WRITTEN_MS + n);
      expect(numbersIn(reader)).toEqual([n]);
    }
    journal.close();
  });

  it('resumes after it was closed', () => {
    const file = newJournal();
    const journal = new Journal(file);
    journal.append({ n: 1 }, WRITTEN_MS);
    journal.close();
    journal.append({ n: 2 }, WRITTEN_MS);
    journal.close();
    expect(numbersIn(new ProbeJournalReader(file))).toEqual([1, 2]);
  });

  it('keeps out of the journal of the next Pod of the name, and stays away with its own', () => {
    const file = path.join(temporaryFolder(), 'pod', 'probes.ndjson');
    const folder = path.dirname(file);
    const journal = new Journal(file);
    journal.append({ n: 1 }, WRITTEN_MS);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    journal.append({ n: 2 }, WRITTEN_MS);
    renameSync(folder, `${folder}-before`);
    journal.append({ n: 3 }, WRITTEN_MS);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder);
    new Journal(file).append({ n: 4 }, WRITTEN_MS);
    journal.append({ n: 5 }, WRITTEN_MS);
    expect(numbersIn(new ProbeJournalReader(file))).toEqual([4]);
    journal.close();
  });

  it('that cannot be written says so in a sentence, each time', () => {
    const journal = new Journal('/dev/full');
    for (const n of [1, 2]) expect(() => journal.append({ n }, WRITTEN_MS)).toThrow(PodrunError);
  });
});
