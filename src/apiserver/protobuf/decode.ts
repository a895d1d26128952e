import { errorMessage, type KubeObject } from '../../api/index.ts';
import { decoderOf, messageOfKind, PREFIX } from './messages.ts';
import { jsonOfMessage, type DecodedMessage } from './values.ts';

/** The envelope of each object. */
interface Envelope {
  readonly typeMeta?: { readonly apiVersion?: string; readonly kind?: string };
  readonly raw?: Uint8Array;
}

/**
 * Decodes the body of a request with the type application/vnd.kubernetes.protobuf.
 * @throws {SyntaxError} when it is no message of a kind of Kubernetes, in the words of the API server
 */
export function decodeProtobuf(body: Buffer): KubeObject {
  if (body.length === 0) throw new SyntaxError('empty data');
  if (!body.subarray(0, PREFIX.length).equals(PREFIX)) {
    throw new SyntaxError(
      `provided data does not appear to be a protobuf message, expected prefix [${[...PREFIX].join(' ')}]`,
    );
  }
  const { typeMeta, raw } = decoded('runtime.Unknown', body.subarray(PREFIX.length)) as Envelope;
  const { apiVersion = '', kind = '' } = typeMeta ?? {};
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined)
    throw new SyntaxError(`no kind ${JSON.stringify(kind)} is registered for version "${apiVersion}"`);
  const fields = jsonOf(message, decoded(message, raw ?? new Uint8Array()));
  return { ...fields, apiVersion, kind, metadata: fields.metadata ?? {} };
}

function jsonOf(message: string, value: DecodedMessage): Partial<KubeObject> {
  try {
    return jsonOfMessage(message, value) as Partial<KubeObject>;
  } catch (error) {
    throw malformed(error);
  }
}

function decoded(message: string, bytes: Uint8Array): DecodedMessage {
  const decoder = decoderOf(message);
  try {
    const message: object = decoder.decode(bytes);
    return message as DecodedMessage;
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(error: unknown): SyntaxError {
  if (error instanceof RangeError) return new SyntaxError('unexpected EOF');
  return new SyntaxError(errorMessage(error));
}
