// Prints rows: a figure is the median with its quartiles, a ratio is one of medians.

import { cpuRatio, promisesOf, timesWorse } from './judge.mjs';

const HEADER = ['ROW', 'PODRUN', 'FLOOR', 'PROMISES', 'PEERS'];
const WIDTHS = [26, 26, 56, 30, 0];

export function header() {
  return line(HEADER);
}

/** @param {import('./shape.mjs').Row} row @param {boolean} [withNode] */
export function rowText(row, withNode = false) {
  const floor = row.floor === undefined ? '-' : `${figure(row.floor, row.unit)} ${floorText(row)}`;
  const peers = Object.entries(row.peers ?? {}).map(([name, samples]) => `${name} ${peerText(row, samples)}`);
  const promises = promisesOf(row).map(({ text, missedBy }) => (missedBy <= 1 ? text : `MISSED: ${text}`));
  const cells = [row.name, figure(row.podrun, row.unit), floor, promises.join(', ') || '-', peers.join(', ') || '-'];
  const what = [row.what, withNode ? `Node ${row.node}` : '', row.note ?? ''].filter((text) => text !== '').join('; ');
  return `${line(cells)}  ${what}\n`;
}

function floorText(row) {
  const ratio = timesWorse(row, row.podrun, row.floor);
  const ofProcessor = cpuRatio(row) === undefined ? '' : `, processor ${cpuRatio(row).toFixed(2)} x`;
  return `${ratio.toFixed(2)} x${row.floorIs === undefined ? '' : ` ${row.floorIs}`}${ofProcessor}`;
}

function peerText(row, samples) {
  if (typeof samples === 'string') return samples;
  return `${figure(samples, row.unit)} ${(1 / timesWorse(row, row.podrun, samples)).toFixed(2)} x`;
}

function figure({ median, low, high, runs }, unit) {
  const spread = runs > 1 ? ` (${short(low)}-${short(high)})` : '';
  return `${short(median)} ${unit}${spread}`;
}

function short(value) {
  if (value === 0) return '0';
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(Math.abs(value) >= 10 ? 3 : 2);
}

function line(cells) {
  return `${cells
    .map((cell, index) => cell.padEnd(WIDTHS[index]))
    .join('  ')
    .trimEnd()}\n`;
}
