const NEWLINE = 10;

/** The lines of a stream of bytes, without their newlines; also the last one when the stream ends without one. */
export async function* streamLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, begin)) {
      yield Buffer.concat([...rest, chunk.subarray(begin, end)]);
      rest = [];
      begin = end + 1;
    }
    if (begin < chunk.length) rest.push(chunk.subarray(begin));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
