import { fromServer, type KubeObject, type PodrunError } from '../../api/index.ts';
import { decoderOf, messageOfKind } from './messages.ts';
import { jsonOfMessage, type DecodedMessage } from './values.ts';

/** The bytes before each message. Source: apimachinery/pkg/runtime/serializer/protobuf. */
const PREFIX = Buffer.from('k8s\0');

/** The envelope of each object. */
interface Envelope {
  readonly typeMeta?: { readonly apiVersion?: string; readonly kind?: string };
  readonly raw?: Uint8Array;
}

/**
 * Decodes the body of a request with the type application/vnd.kubernetes.protobuf.
 * @throws PodrunError (BadRequest) when it is no message of a kind of Kubernetes
 */
export function decodeProtobuf(body: Buffer): KubeObject {
  if (!body.subarray(0, PREFIX.length).equals(PREFIX)) {
    throw refused(`provided data does not appear to be a protobuf message, expected prefix [${[...PREFIX].join(' ')}]`);
  }
  const { typeMeta, raw } = decoded('runtime.Unknown', body.subarray(PREFIX.length)) as Envelope;
  const { apiVersion = '', kind = '' } = typeMeta ?? {};
  const message = messageOfKind(apiVersion, kind);
  if (message === undefined) throw refused(`no kind ${JSON.stringify(kind)} is registered for version "${apiVersion}"`);
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

function malformed(error: unknown): PodrunError {
  return refused(`the protobuf message is malformed: ${error instanceof Error ? error.message : String(error)}`);
}

function refused(why: string): PodrunError {
  return fromServer('BadRequest', `the object provided is unrecognized: ${why}`);
}
