import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { VolumeFile } from '../../../src/lifecycle/volumes/volume-files.ts';

/** A new folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-volumes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Files of a volume from their texts. */
export function filesOf(texts: Readonly<Record<string, string>>, mode = 0o644): Map<string, VolumeFile> {
  return new Map(Object.entries(texts).map(([name, text]) => [name, { bytes: Buffer.from(text), mode }]));
}
