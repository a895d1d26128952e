// Judges which of the responses that differ from the ones of a real API server have a reason (differences.json).

/**
 * True for a uid of podrun that the comparison has left as it is: it takes those that begin so for names of its own.
 */
function isUid({ real, podrun }) {
  const uid = /\b(?:0000|1111)[0-9a-f]{4}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;
  return typeof podrun === 'string' && uid.test(podrun) && podrun.replace(uid, '<uid>') === real;
}

/** The answers that differ indeed. */
export function differing(answers) {
  return answers
    .map(({ key, found }) => ({ key, found: found.filter((difference) => !isUid(difference)) }))
    .filter(({ found }) => found.length > 0);
}

/**
 * The places that no entry explains, and the patterns that explain nothing, which an entry that says `sometimes` may.
 * Answers are what `differing` returns.
 */
export function judge(answers, entries) {
  const rules = entries.flatMap(({ keys, at, sometimes }) =>
    keys.map((key) => ({ pattern: key, key: new RegExp(key), at: new RegExp(at ?? ''), sometimes, isUsed: false })),
  );
  const explained = (key, place) => {
    const found = rules.filter((rule) => rule.key.test(key) && rule.at.test(place));
    for (const rule of found) rule.isUsed = true;
    return found.length > 0;
  };
  const unexplained = answers.flatMap(({ key, found }) =>
    [...new Set(found.map(({ at }) => at))].filter((at) => !explained(key, at)).map((at) => ({ key, at })),
  );
  return { unexplained, idle: rules.filter((rule) => !rule.isUsed && !rule.sometimes).map(({ pattern }) => pattern) };
}

const asCode = (text) => `\`${text.replaceAll('|', String.raw`\|`)}\``;

/** The table of docs/serve.md: a row for each entry. */
export function tableOf(entries) {
  const rows = entries.map(({ reason, keys, at, sometimes }) => {
    const place = at === undefined ? '' : `, at ${asCode(at)}`;
    return `| ${keys.map(asCode).join(', ')}${place} | ${reason}${sometimes ? ' (sometimes)' : ''} |`;
  });
  return ['| requests | why |', '|---|---|', ...rows].join('\n');
}
