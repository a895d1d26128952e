// Replaces a folder by a link out of the volume, and back, as fast as possible: swapper.mjs PLACE FOLDER LINK
import { renameSync } from 'node:fs';

const [, , place, folder, link] = process.argv;

/** Moves a file. The test may have made a folder at the place meanwhile. */
function move(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

let others = 0;
process.stdout.write('ready');
for (;;) {
  move(place, folder);
  if (!move(link, place)) move(place, `${folder}-${others++}`);
  move(place, link);
  if (!move(folder, place)) move(place, `${folder}-${others++}`);
}
