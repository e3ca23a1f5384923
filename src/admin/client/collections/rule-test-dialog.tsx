import { Button, SegmentedControl, Select, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { useMemo, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { errorAt, errorTreeOf, filterErrorOf } from '../api/failure.js';
import type { RuleTest, RuleTestInput } from '../api/models.js';
import { useCollections } from '../api/queries.js';
import { useSuperuser } from '../api/use-session.js';
import { CodeInput } from '../code/code-input.js';
import { Dialog } from '../design/dialog.js';
import { LoadMore } from '../design/load-more.js';
import { EmptyState, FailedState, LoadingLines } from '../design/states.js';
import { RecordPicker } from '../fields/record-picker.js';
import { ErrorNote } from '../login/error-note.js';
import { RecordLabel } from '../records/record-label.js';
import { SearchBar } from '../records/search-bar.js';
import { searchHint } from '../records/search-hint.js';
import { useRecords } from '../records/use-records.js';
import type { RuleField } from './rule-fields.js';
import classes from './rule-test.module.css';
import { passingText, verdictOf } from './rule-verdict.js';

/** As many records as one request judges. */
const AT_ONCE = 100;

type Who = 'guest' | 'superuser' | 'account';

interface RuleTestDialogProps {
  /** As it is stored. */
  readonly collection: CollectionModel;
  readonly field: RuleField;
  /** As it stands in the editor. */
  readonly rule: string;
  readonly onClose: () => void;
}

/** Judges records in requests of as many as one may have. */
async function judged(collection: CollectionModel, input: RuleTestInput, signal: AbortSignal): Promise<RuleTest> {
  const ids = input.ids ?? [];
  const answers: RuleTest[] = [];
  for (let start = 0; start === 0 || start < ids.length; start += AT_ONCE) {
    const body = { ...input, ids: ids.slice(start, start + AT_ONCE) };
    answers.push(
      await api.send<RuleTest>(`/api/collections/${collection.id}/test-rule`, { method: 'POST', body, signal }),
    );
  }
  return { ...answers[0]!, records: answers.flatMap(({ records }) => records) };
}

function Verdict({ judgedRecord, join }: { judgedRecord: RuleTest['records'][number]; join: RuleTest['join'] }) {
  const { passes } = judgedRecord;
  const Icon = passes ? IconCircleCheck : IconCircleX;
  return (
    <span className={classes.verdict} data-passes={passes || undefined}>
      <Icon size={15} aria-hidden /> {verdictOf(judgedRecord, join)}
    </span>
  );
}

function Parts({ test: { join, parts } }: { test: RuleTest }) {
  if (!parts.length) return <p className="hint">No condition has to be met.</p>;
  return (
    <section aria-label="Parts of the rule">
      <p className="hint" style={{ margin: 0 }}>
        {join === 'and' ? 'Every part has to pass:' : join === 'or' ? 'One part has to pass:' : 'The condition:'}
      </p>
      {parts.map(({ text, problem }, index) => (
        <div key={index} className={classes.part}>
          {join ? <span className={classes.number}>{index + 1}</span> : null}
          <div>
            <code dir="auto">{text}</code>
            {problem ? <p className={classes.problem}>Cannot be evaluated: {problem}</p> : null}
          </div>
        </div>
      ))}
    </section>
  );
}

interface Account {
  readonly collection: CollectionModel;
  readonly record: RecordModel;
}

/** Which records pass a rule as somebody, and which part of it refuses the others (UI-74). Nothing is changed. */
export function RuleTestDialog({ collection, field, rule, onClose }: RuleTestDialogProps) {
  const { data: collections = [] } = useCollections();
  const superuser = useSuperuser();
  const accountCollections = collections.filter(({ type, name }) => type === 'auth' && name !== '_superusers');
  const [who, setWho] = useState<Who>('guest');
  const [accountsName, setAccountsName] = useState<string | null>(accountCollections[0]?.name ?? null);
  const [account, setAccount] = useState<Account | null>(null);
  const [choosing, setChoosing] = useState(false);
  const [search, setSearch] = useState('');
  const [body, setBody] = useState('');
  const [sent, setSent] = useState<Record<string, unknown>>({});
  const [bodyError, setBodyError] = useState<string | null>(null);
  const scope = useMemo(() => ({ collections, collection }), [collections, collection]);
  const kind = field.name.replace('Rule', '');
  const isCreate = kind === 'create';
  const hasBody = isCreate || kind === 'update';
  const { list, records } = useRecords(collection, search, '');
  const accounts = collections.find(({ name }) => name === accountsName);
  const as =
    who === 'guest'
      ? {}
      : who === 'superuser'
        ? { accountCollection: '_superusers', account: superuser?.id ?? '' }
        : { accountCollection: account?.collection.id ?? '', account: account?.record.id ?? '' };
  const input: RuleTestInput = {
    rule,
    kind: kind as RuleTestInput['kind'],
    ...as,
    ids: isCreate ? [] : records.map(({ id }) => id),
    body: sent as RuleTestInput['body'],
  };
  const isKnown = who !== 'account' || account !== null;
  const test = useQuery({
    queryKey: ['rule-test', collection.id, input],
    queryFn: ({ signal }) => judged(collection, input, signal),
    enabled: isKnown && (isCreate || list.isSuccess),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const filterError = search ? filterErrorOf(list.error) : undefined;
  const ruleError = errorAt(errorTreeOf(test.error), 'rule');
  const use = () => {
    try {
      const value = (body.trim() ? JSON.parse(body) : {}) as unknown;
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new Error('It has to be an object.');
      setBodyError(null);
      setSent(value as Record<string, unknown>);
    } catch (error) {
      setBodyError(`The body cannot be used. ${(error as Error).message}`);
    }
  };
  const byId = new Map(test.data?.records.map((each) => [each.id, each]));
  return (
    <Dialog opened onClose={onClose} size={720} title={`Test the ${field.label} rule as …`}>
      <div className={classes.as}>
        <SegmentedControl
          size="xs"
          aria-label="As whom"
          value={who}
          onChange={(next) => setWho(next as Who)}
          data={[
            { value: 'guest', label: 'Guest' },
            ...(accountCollections.length ? [{ value: 'account', label: 'An account' }] : []),
            { value: 'superuser', label: 'Superuser' },
          ]}
        />
        {who === 'account' ? (
          <>
            <Select
              size="xs"
              aria-label="Collection of the account"
              allowDeselect={false}
              data={accountCollections.map(({ name }) => name)}
              value={accountsName}
              onChange={(next) => {
                setAccountsName(next);
                setAccount(null);
              }}
            />
            <Button size="xs" variant="default" onClick={() => setChoosing(true)}>
              {account ? (
                <RecordLabel record={account.record} collection={account.collection} collections={collections} />
              ) : (
                'Choose an account'
              )}
            </Button>
          </>
        ) : null}
      </div>
      <Stack gap={12}>
        {hasBody ? (
          <div>
            <p className="hint" style={{ margin: '0 0 4px' }}>
              {isCreate ? 'The body of the record that would be created' : 'The body of the update'}, as JSON
            </p>
            <CodeInput language="json" label="Body" value={body} onChange={setBody} minHeight={60} maxHeight={180} />
            <Button size="xs" variant="default" mt={8} onClick={use}>
              Use this body
            </Button>
          </div>
        ) : null}
        <ErrorNote message={bodyError} />
        {!isKnown ? <EmptyState title="Choose the account to test as" /> : null}
        {isKnown && ruleError ? <ErrorNote message={ruleError} /> : null}
        {isKnown && test.isError && !ruleError ? (
          <FailedState error={test.error} onRetry={() => void test.refetch()} />
        ) : null}
        {isKnown && test.data && !test.isError ? (
          <div aria-busy={test.isFetching}>
            {who === 'superuser' ? (
              <p className="hint">Rules do not apply to superusers.</p>
            ) : (
              <Parts test={test.data} />
            )}
            {isCreate ? (
              <p role="status" style={{ margin: '10px 0 0' }}>
                {test.data.records.map((each) => (
                  <Verdict key={each.id} judgedRecord={each} join={test.data.join} />
                ))}
              </p>
            ) : (
              <p role="status" className="tabular" style={{ margin: '10px 0 0' }}>
                {passingText(test.data.records)}
              </p>
            )}
          </div>
        ) : null}
        {test.isLoading ? <LoadingLines lines={2} /> : null}
        {isCreate || !isKnown ? null : (
          <div>
            <div style={{ margin: '0 -14px' }}>
              <SearchBar
                value={search}
                onSearch={setSearch}
                scope={scope}
                historyKey={collection.id}
                placeholder={searchHint(collection)}
                error={filterError}
              />
            </div>
            {list.isPending ? <LoadingLines lines={3} /> : null}
            {list.isLoadingError && !filterError ? (
              <FailedState error={list.error} onRetry={() => void list.refetch()} />
            ) : null}
            {list.isSuccess && !records.length ? (
              <EmptyState title={search ? 'Nothing matches' : 'No records yet'} />
            ) : null}
            {records.length ? (
              <div className={classes.records} role="list" aria-label="Records" tabIndex={0}>
                {records.map((record) => {
                  const verdict = test.isError ? undefined : byId.get(record.id);
                  return (
                    <div key={record.id} className={classes.record} role="listitem">
                      <span className={`${classes.label} truncate`}>
                        <RecordLabel record={record} collection={collection} collections={collections} />
                      </span>
                      {verdict ? <Verdict judgedRecord={verdict} join={test.data!.join} /> : null}
                    </div>
                  );
                })}
              </div>
            ) : null}
            {list.hasNextPage ? (
              <div style={{ padding: 8, textAlign: 'center' }}>
                <LoadMore list={list} />
              </div>
            ) : null}
          </div>
        )}
        <p className="hint" style={{ margin: 0 }}>
          Nothing is changed, and no hook runs. {kind === 'list' ? 'A list leaves out what does not pass.' : ''}
        </p>
      </Stack>
      {choosing && accounts ? (
        <RecordPicker
          collection={accounts}
          max={1}
          selected={account ? [account.record.id] : []}
          onClose={() => setChoosing(false)}
          onPick={(ids) => {
            setChoosing(false);
            if (ids[0]) void choose(accounts, ids[0], setAccount);
            else setAccount(null);
          }}
        />
      ) : null}
    </Dialog>
  );
}

async function choose(collection: CollectionModel, id: string, use: (account: Account) => void): Promise<void> {
  use({ collection, record: await api.collection(collection.id).getOne(id) });
}
