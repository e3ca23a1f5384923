import { Injectable } from '@nestjs/common';
import { EventLoopTurn } from '../http/event-loop/event-loop-turn.js';
import type { Collection } from '../kernel/collections/collection.js';
import { MAX_CLIENT_FILTER_BYTES } from '../kernel/filter/parse-filter.js';
import { Caller } from '../kernel/records/caller.js';
import type { CandidateCheck } from '../kernel/resolve/candidate-compiler.js';
import type { RealtimeClient } from './realtime-client.js';
import { type CheckedRecord, RecordChecks } from './record-checks.js';
import type { Subscribers } from './subscription-index.js';
import type { SubscriptionTopic } from './subscription-topic.js';

/**
 * Matches a path that leads to other records, except `@request.auth` and the like. A false match inside quotes only
 * costs time.
 */
const LEADS_ELSEWHERE = /(?<!@request\.auth|@request|@request\.query|@request\.headers)\.|@collection/;

/** A client and the topic under which it hears of a record. */
export interface Listener {
  readonly client: RealtimeClient;
  readonly topic: SubscriptionTopic;
}

/** A listener and the check it needs; equal checks are shared. */
interface Asker extends Listener {
  readonly check: CandidateCheck | null;
}

/** The conditions of a topic, and whether the result depends on the account. */
interface Condition {
  readonly rule: string | null;
  readonly filter: string;
  /** Whether the answer may differ from one account to another. */
  readonly isPersonal: boolean;
  /** Equal for topics with the same answers. */
  readonly key: string;
}

/**
 * Who may hear of a record (RT-60): every distinct rule, account and filter is asked once, for however many clients.
 */
@Injectable()
export class RecordAudience {
  constructor(private readonly checks: RecordChecks) {}

  /** The listeners that may hear of the record, in the order of their topics. */
  async of(record: CheckedRecord, subscribers: readonly Subscribers[]): Promise<Listener[]> {
    const questions = new Map<string, CandidateCheck>();
    const askers: Asker[] = [];
    const turn = new EventLoopTurn();
    for (const entry of subscribers) {
      await turn.pause();
      for (const asker of this.askersOf(record.collection, entry, questions)) askers.push(asker);
    }
    if (questions.size === 0) return askers;
    const holding = await this.checks.holding(record, [...questions.values()]);
    return askers.filter(({ check }) => check === null || holding.has(check));
  }

  /**
   * Whether the record's own values and the account decide about a topic. Otherwise other records take part: through
   * paths, which contain dots, or through `@collection`.
   */
  isSelfContained(collection: Collection, topic: SubscriptionTopic): boolean {
    const { filter, ruleKind, expand } = topic;
    if (expand.length > 0) return false;
    const rule = ruleKind === 'list' ? collection.listRule : collection.viewRule;
    return ![rule, filter, collection.auth?.manageRule].some((text) => text && LEADS_ELSEWHERE.test(text));
  }

  private askersOf(
    collection: Collection,
    { topic, clients }: Subscribers,
    questions: Map<string, CandidateCheck>,
  ): Asker[] {
    const condition = toCondition(collection, topic);
    const askers: Asker[] = [];
    for (const client of clients) {
      const caller = new Caller(client.auth, topic.request, client.ip);
      const rule = caller.isSuperuser ? '' : condition.rule;
      if (rule === null || isTooLong(condition.filter)) continue;
      if (rule === '' && condition.filter === '') {
        askers.push({ client, topic, check: null });
        continue;
      }
      const key = `${condition.key}\0${condition.isPersonal ? client.identity : caller.isSuperuser ? 'all' : 'some'}`;
      let check = questions.get(key);
      if (!check) questions.set(key, (check = toCheck(caller, rule, condition.filter)));
      askers.push({ client, topic, check });
    }
    return askers;
  }
}

function toCondition(collection: Collection, topic: SubscriptionTopic): Condition {
  const { filter, ruleKind, text } = topic;
  const rule = ruleKind === 'list' ? collection.listRule : collection.viewRule;
  const texts = `${rule ?? ''} ${filter}`;
  // A path with dots leads through other collections, whose list rules take part (GRD-4).
  const leadsOn = filter.includes('.');
  const seesRequest = leadsOn || texts.includes('@request.query') || texts.includes('@request.headers');
  return {
    rule,
    filter,
    isPersonal: leadsOn || texts.includes('@request.auth'),
    key: `${ruleKind}\0${seesRequest ? text : filter}`,
  };
}

function toCheck(caller: Caller, rule: string, filter: string): CandidateCheck {
  return { caller, rule, filter, guarded: !caller.isSuperuser };
}

/** The limit of list filters holds here too (RT-64). */
function isTooLong(filter: string): boolean {
  return filter.length * 3 > MAX_CLIENT_FILTER_BYTES && Buffer.byteLength(filter) > MAX_CLIENT_FILTER_BYTES;
}
