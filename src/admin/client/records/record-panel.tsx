import '../design/mantine-more-styles.js';
import { Alert, Button, Group, Stack, Tabs, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconHistory, IconLockOpen } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { RecordModel } from 'pocketbase';
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { api } from '../api/api.js';
import { errorTreeOf } from '../api/failure.js';
import { useCollections, useHideControls } from '../api/queries.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { useSuperuser } from '../api/use-session.js';
import { CopyButton } from '../design/copy-button.js';
import { DateView } from '../design/date-view.js';
import { ErrorDetails } from '../design/error-details.js';
import { LoadingForm } from '../design/loading-shapes.js';
import { SaveButtons } from '../design/save-buttons.js';
import { MoreMenu } from '../design/more-menu.js';
import { SidePanel } from '../design/side-panel.js';
import { FailedState, LoadingLines } from '../design/states.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { FieldFrame } from '../fields/field-frame.js';
import { FieldInput } from '../fields/field-input.js';
import { valueHint } from '../fields/value-hint.js';
import { AuthFields } from './auth-fields.js';
import { bodyOf, changedNames, emptyForm, formOf, withoutStoredFiles, type FormValues } from './record-form.js';
import { BackRelationsList } from './back-relations-list.js';
import type { RecordPanelProps } from './record-panel-context.js';
import { RecordMenuItems } from './record-menu.js';
import classes from './records.module.css';
import { recordLabel } from './record-label.js';
import { expandOf } from './record-query.js';
import { mergedForm } from './their-changes.js';
import { ConflictDialog, TheirChangesNotice } from './their-changes-notice.js';
import { useDraft } from './use-draft.js';
import { useTheirChanges, type TheirChanges } from './use-their-changes.js';

const ImpersonateDialog = lazy(async () => ({ default: (await import('./impersonate-dialog.js')).ImpersonateDialog }));
const LinkedProviders = lazy(async () => ({ default: (await import('./linked-providers.js')).LinkedProviders }));

const AUTH_NAMES = new Set(['email', 'emailVisibility', 'password', 'verified', 'tokenKey']);

/** Makes or edits one record (UI-25 to UI-28). */
export function RecordPanel({ collection, id, filledWith, onClose, onChange, onDuplicate }: RecordPanelProps) {
  const { data: collections = [] } = useCollections();
  const superuser = useSuperuser();
  const hideControls = useHideControls();
  const isNew = id === undefined;
  const queries = useQueryClient();
  const queryKey = ['record', collection.id, id];
  const expand = expandOf(collection, collections);
  const stored = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.collection(collection.id).getOne(id!, { expand, signal }),
    enabled: !isNew,
    staleTime: 0,
    gcTime: 0,
    // What is being edited is not exchanged underneath.
    refetchOnReconnect: ({ state }) => state.data === undefined,
  });
  const record = stored.data;
  const initial = useMemo<FormValues | null>(
    () => (isNew ? emptyForm(collection) : record ? formOf(record, collection) : null),
    [isNew, record, collection],
  );
  const [values, setValues] = useState<FormValues>({ ...initial, ...filledWith });
  const [unlocked, setUnlocked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [acting, setActing] = useState(false);
  const [impersonating, setImpersonating] = useState(false);
  const [tab, setTab] = useState<string | null>('fields');
  const errors = useFieldErrors();
  const [failure, setFailure] = useState<unknown>(null);
  const body = useRef<HTMLDivElement>(null);
  const sent = useRef<FormValues | null>(null);
  const rebased = useRef<FormValues | null>(null);
  const [conflict, setConflict] = useState<TheirChanges & { stay: boolean }>();
  const newest = useRef(values);
  newest.current = values;
  // Before the form is seen: what somebody types at once would be taken away by it later.
  useLayoutEffect(() => {
    const before = sent.current;
    const over = rebased.current;
    sent.current = null;
    rebased.current = null;
    if (!initial) return;
    if (over) {
      setValues(over);
      return;
    }
    // What has been typed while it was saved stays, and is still to be saved.
    setValues((current) => ({
      ...initial,
      ...(before ? {} : filledWith),
      ...(before ? Object.fromEntries(Object.entries(current).filter(([name, value]) => value !== before[name])) : {}),
    }));
  }, [initial, filledWith]);

  const dirty = initial !== null && changedNames(values, initial).length > 0;
  const draft = useDraft(collection, id, values, initial);
  const rebase = (over: RecordModel, next: FormValues) => {
    rebased.current = next;
    queries.setQueryData(queryKey, over);
  };
  const theirs = useTheirChanges({ collection, record, expand, initial, values, dirty, busy, onRebase: rebase });
  const locked = hideControls && !unlocked;
  const set = (name: string, value: unknown) => {
    errors.clear(name);
    setValues((current) => ({ ...current, [name]: value }));
  };

  // Once they are drawn, however long that takes.
  const wantsFirstError = useRef(false);
  const showFirstError = () => {
    wantsFirstError.current = true;
  };
  useEffect(() => {
    const first = body.current?.querySelector('[data-invalid]');
    if (!wantsFirstError.current || !first) return;
    wantsFirstError.current = false;
    first.scrollIntoView({ block: 'center' });
    first.querySelector<HTMLElement>('input, textarea, [contenteditable]')?.focus({ preventScroll: true });
  });
  // Where there is no keyboard, one that slides in would hide the form.
  const inputFirst = isNew && matchMedia('(hover: hover)').matches;
  const markFirst = (form: HTMLDivElement | null) => {
    body.current = form;
    if (!form || !inputFirst) return;
    const inputs = [...form.querySelectorAll('[data-field] :is(input:not([type="checkbox"]), textarea)')];
    // The id is seldom typed, and a switch is not where one begins.
    (inputs.find((input) => input.id !== 'record-id') ?? inputs[0])?.setAttribute('data-autofocus', '');
  };
  const isComplete = (form: FormValues, basis: FormValues) => {
    const { errors: found } = bodyOf(form, basis, collection, isNew);
    for (const [name, error] of Object.entries(found)) errors.add(name, error);
    if (Object.keys(found).length) showFirstError();
    return Object.keys(found).length === 0;
  };
  const save = async (wantsToStay: boolean) => {
    if (busy || !initial || locked || !isComplete(values, initial)) return;
    setBusy(true);
    const contested = await theirs.contested();
    setBusy(false);
    if (contested) setConflict({ ...contested, stay: wantsToStay });
    else await send(values, initial, wantsToStay);
  };
  /** What was chosen of fields that somebody else changed too is what is saved. */
  const settle = async (now: RecordModel, wanted: ReadonlySet<string>, wantsToStay: boolean) => {
    const basis = formOf(now, collection);
    const form = mergedForm(initial!, basis, values, wanted);
    setConflict(undefined);
    theirs.forget();
    rebase(now, form);
    if (changedNames(form, basis).length) await send(form, basis, wantsToStay);
    else if (!wantsToStay) onClose();
  };
  const send = async (form: FormValues, basis: FormValues, wantsToStay: boolean) => {
    const { body: data } = bodyOf(form, basis, collection, isNew);
    wantsFirstError.current = false;
    setBusy(true);
    setFailure(null);
    try {
      const options = { expand };
      const service = api.collection(collection.id);
      const saved = isNew ? await service.create(data, options) : await service.update(id, data, options);
      // A changed password ends every session of the account, this one included.
      if (collection.name === '_superusers' && id === superuser?.id && data.password) {
        await service.authWithPassword(String(saved.email), String(data.password)).catch(() => api.authStore.clear());
      }
      errors.reset();
      // The panel does not take away what has been typed while it was saved.
      const stay = wantsToStay || (!isNew && newest.current !== form);
      if (newest.current === form) draft.discard();
      toastSuccess(isNew ? 'Record created.' : 'Record saved.');
      onChange({ action: isNew ? 'create' : 'update', record: saved }, stay);
      if (!stay) onClose();
      else if (!isNew) {
        sent.current = form;
        await stored.refetch();
        theirs.forget();
      }
    } catch (error) {
      errors.set(error);
      setFailure(error);
      toastError(error);
      if (Object.keys(errorTreeOf(error)).length) showFirstError();
    } finally {
      setBusy(false);
    }
  };

  const reset = () => {
    if (initial) setValues(initial);
    errors.reset();
    setFailure(null);
  };
  const ready = isNew || Boolean(record && initial);
  const title = isNew ? `New ${collection.name} record` : record ? recordLabel(record, collection, collections) : id;
  const inputs = collection.fields.filter(
    (field) =>
      field.name !== 'id' && field.type !== 'autodate' && !(collection.type === 'auth' && AUTH_NAMES.has(field.name)),
  );
  const idField = collection.fields.find((field) => field.name === 'id');
  const autodates = collection.fields.filter((field) => field.type === 'autodate');

  const form = (
    <Stack gap={18} ref={markFirst}>
      {draft.found ? (
        <Alert
          icon={<IconHistory size={18} />}
          color="accent"
          title="There are unsaved changes from before"
          role="status"
        >
          <Group gap={8}>
            <Button
              size="compact-sm"
              onClick={() => {
                setValues((current) => ({ ...current, ...draft.found }));
                draft.accept();
              }}
            >
              Restore them
            </Button>
            <Button size="compact-sm" variant="subtle" color="gray" onClick={draft.discard}>
              Discard
            </Button>
          </Group>
        </Alert>
      ) : null}
      <ErrorDetails error={failure} />
      <div className={classes.meanwhile}>
        {theirs.gone && !acting ? (
          <Alert
            icon={<IconAlertTriangle size={18} />}
            color="red.8"
            title="Somebody else has deleted this record"
            role="alert"
          >
            {onDuplicate ? (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => onDuplicate({ ...withoutStoredFiles(values), id: '' })}
              >
                Make a new one of it
              </Button>
            ) : (
              'What stands here can no longer be saved.'
            )}
          </Alert>
        ) : theirs.notice && record ? (
          <TheirChangesNotice
            key={`${theirs.notice.record.id} ${theirs.notice.isTaken}`}
            theirs={theirs.notice}
            before={record}
            values={values}
            onTake={(wanted) => theirs.take(theirs.notice!.record, wanted)}
            onDismiss={theirs.dismiss}
          />
        ) : null}
      </div>
      {idField ? (
        <FieldFrame
          field={{ ...idField, required: false }}
          error={errors.at('id')}
          inputId="record-id"
          hint={isNew ? valueHint(idField) : undefined}
        >
          <TextInput
            id="record-id"
            classNames={{ input: 'mono' }}
            value={String(values.id ?? '')}
            readOnly={!isNew}
            error={Boolean(errors.at('id'))}
            placeholder={isNew && idField.autogeneratePattern ? 'Leave empty to generate one' : undefined}
            onChange={(event) => set('id', event.currentTarget.value)}
            rightSection={isNew ? null : <CopyButton value={String(values.id)} label="Copy id" />}
          />
          {record && autodates.length ? (
            <Group gap="2px 16px" mt={6}>
              {autodates.map((field) => (
                <span key={field.id} className="hint">
                  {field.name} <DateView value={record[field.name]} />
                </span>
              ))}
            </Group>
          ) : null}
        </FieldFrame>
      ) : null}
      {collection.type === 'auth' ? (
        <AuthFields collection={collection} values={values} isNew={isNew} errors={errors} set={set} />
      ) : null}
      {inputs.map((field) => (
        <FieldInput
          key={field.id}
          field={field}
          collection={collection}
          record={record}
          value={values[field.name]}
          error={errors.at(field.name)}
          onChange={(value) => set(field.name, value)}
        />
      ))}
      {record ? <BackRelationsList collection={collection} id={record.id} /> : null}
    </Stack>
  );

  return (
    <SidePanel
      opened
      onClose={(discarded) => {
        if (discarded) draft.discard();
        onClose();
      }}
      dirty={dirty}
      inputFirst={inputFirst}
      size={720}
      title={title}
      onSave={() => void save(true)}
      actions={
        record ? (
          <MoreMenu busy={acting}>
            <RecordMenuItems
              onBusy={setActing}
              collection={collection}
              record={record}
              onDeleted={() => {
                draft.discard();
                onChange({ action: 'delete', record }, false);
                onClose();
              }}
              onImpersonate={() => setImpersonating(true)}
              onActed={async () => {
                // What is being edited is not exchanged underneath.
                const { data } = dirty
                  ? {
                      data: await api
                        .collection(collection.id)
                        .getOne(record.id, { expand: expandOf(collection, collections) }),
                    }
                  : await stored.refetch();
                if (data) onChange({ action: 'update', record: data }, true);
              }}
              onDuplicate={onDuplicate}
            />
          </MoreMenu>
        ) : null
      }
      footer={(close) => (
        <SaveButtons
          label={isNew ? 'Create' : 'Save'}
          resetLabel="Reset form"
          dirty={dirty}
          busy={busy}
          canSave={ready && (isNew || dirty)}
          onReset={reset}
          onCancel={close}
          onSave={(stay) => void save(stay)}
          instead={
            stored.isLoadingError ? (
              // There is nothing to save.
              <></>
            ) : locked ? (
              <Button leftSection={<IconLockOpen size={15} />} onClick={() => setUnlocked(true)}>
                Unlock
              </Button>
            ) : undefined
          }
        />
      )}
    >
      {stored.isLoadingError ? (
        <FailedState what="record" error={stored.error} onRetry={() => void stored.refetch()} />
      ) : null}
      {!ready && !stored.isLoadingError ? <LoadingForm inputs={6} /> : null}
      {ready && collection.type === 'auth' && record && collection.name !== '_superusers' ? (
        <Tabs value={tab} onChange={setTab}>
          <Tabs.List mb="md">
            <Tabs.Tab value="fields">Account</Tabs.Tab>
            <Tabs.Tab value="providers">Auth providers</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="fields">{form}</Tabs.Panel>
          <Tabs.Panel value="providers">
            <Suspense fallback={<LoadingLines lines={3} />}>
              {tab === 'providers' ? <LinkedProviders collection={collection} record={record} /> : null}
            </Suspense>
          </Tabs.Panel>
        </Tabs>
      ) : ready ? (
        form
      ) : null}
      {conflict && record ? (
        <ConflictDialog
          theirs={conflict}
          before={record}
          values={values}
          onClose={() => setConflict(undefined)}
          onTake={(wanted) => void settle(conflict.record, wanted, conflict.stay)}
        />
      ) : null}
      {impersonating && record ? (
        <Suspense fallback={null}>
          <ImpersonateDialog collection={collection} record={record} onClose={() => setImpersonating(false)} />
        </Suspense>
      ) : null}
    </SidePanel>
  );
}
