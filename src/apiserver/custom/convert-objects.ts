import { randomUUID } from 'node:crypto';
import { errorMessage, type KubeObject } from '../../api/index.ts';
import { callOnMachine } from '../admission/call-webhook.ts';
import type { ServerContext } from '../base/context.ts';
import {
  apiVersionOf,
  inVersionOf,
  type ServedResource,
  type WebhookConversion,
} from '../resources/served-resource.ts';
import { StatusError } from '../base/status-error.ts';
import { convertedObjects, conversionReviewOf } from './conversion-review.ts';

/** The time that a conversion webhook has. Source: apiserver/pkg/util/webhook, the default of its client. */
const TIMEOUT_SECONDS = 30;

/**
 * Objects in the version of a resource. A conversion webhook is asked about those in other versions, all at once.
 * @throws {StatusError} 500 when the webhook fails
 */
export async function shownObjects<T extends KubeObject>(
  resource: ServedResource,
  objects: readonly T[],
  context: ServerContext,
): Promise<readonly T[]> {
  const { custom } = resource;
  if (custom?.conversion === undefined) return objects.map((object) => inVersionOf(resource, object));
  const target = { apiVersion: apiVersionOf(resource), decode: custom.decode };
  const all = await converted(objects, target, custom.conversion, context);
  return all.map((object) => inVersionOf(resource, object));
}

/**
 * An object in the version of a resource.
 * @throws {StatusError} 500 when its conversion webhook fails
 */
export async function shownObject<T extends KubeObject>(
  resource: ServedResource,
  object: T,
  context: ServerContext,
): Promise<T> {
  const [converted = object] = await shownObjects(resource, [object], context);
  return converted;
}

/**
 * An object in the version in which its kind is stored.
 * @throws {StatusError} 500 when its conversion webhook fails
 */
export async function storedForm<T extends KubeObject>(
  { custom }: ServedResource,
  object: T,
  context: ServerContext,
): Promise<T> {
  const { conversion } = custom ?? {};
  if (conversion === undefined) return object;
  const target = { apiVersion: conversion.storedAs, decode: conversion.decodeStored };
  const [stored = object] = await converted([object], target, conversion, context);
  return stored;
}

interface Target {
  readonly apiVersion: string;
  readonly decode: WebhookConversion['decodeStored'];
}

async function converted<T extends KubeObject>(
  objects: readonly T[],
  { apiVersion, decode }: Target,
  conversion: WebhookConversion,
  context: ServerContext,
): Promise<readonly T[]> {
  const others = objects.filter((object) => object.apiVersion !== apiVersion);
  if (others.length === 0) return objects;
  const converted = await askWebhook(others, apiVersion, conversion, context);
  // A webhook of another machine: all versions have the same fields.
  if (converted === undefined) return objects.map((object) => ({ ...object, apiVersion }));
  const byOld = new Map(others.map((object, index) => [object, converted[index]]));
  return objects.map((object) => {
    const answer = byOld.get(object);
    return answer === undefined ? object : (decode(answer).object as KubeObject as T);
  });
}

/** The converted objects. Undefined: the webhook is on another machine, and is not called. */
async function askWebhook(
  objects: readonly KubeObject[],
  apiVersion: string,
  { clientConfig, reviewVersion }: WebhookConversion,
  context: ServerContext,
): Promise<readonly KubeObject[] | undefined> {
  const question = { uid: randomUUID(), reviewVersion, apiVersion, objects };
  const webhook = { clientConfig, timeoutSeconds: TIMEOUT_SECONDS };
  let answer: unknown;
  try {
    answer = await callOnMachine(webhook, conversionReviewOf(question), context);
  } catch (error) {
    throw conversionFailed(objects, `failed: ${errorMessage(error)}`);
  }
  if (answer === undefined) return undefined;
  try {
    return convertedObjects(answer, question);
  } catch (error) {
    throw conversionFailed(objects, errorMessage(error));
  }
}

/** @param what the rest of the sentence about the webhook */
function conversionFailed([first]: readonly KubeObject[], what: string): StatusError {
  const message = `conversion webhook for ${first?.apiVersion}, Kind=${first?.kind} ${what}`;
  return new StatusError({ code: 500, reason: '', message });
}
