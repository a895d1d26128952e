// Prints the trips, or the files of one: npm run trips [-- NAME]. See docs/contributing.md.

import { measureTrips } from './trips.mjs';

const [, , wanted] = process.argv;
const trips = await measureTrips();
const one = trips.find(({ name }) => name === wanted);
if (wanted === undefined) {
  console.log(`${''.padEnd(62)} files  steps  calls`);
  for (const { name, title, files, steps, calls } of trips) {
    const figures = [files, steps, calls].map((figure) => String(figure).padStart(6)).join(' ');
    console.log(`${`${name}, ${title}`.padEnd(61)}${figures}`);
  }
} else if (one === undefined) {
  console.error(`there is no trip ${wanted}: ${trips.map(({ name }) => name).join(', ')}`);
  process.exitCode = 2;
} else {
  for (const [file, calls] of Object.entries(one.callsOf)) console.log(`${String(calls).padStart(6)}  ${file}`);
}
