import { Menu, Select, Stack, Tabs, TextInput } from '@mantine/core';
import { IconCopy, IconCopyPlus, IconEraser, IconExclamationCircle, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { api } from '../api/api.js';
import type { CollectionModel } from '../api/collection-model.js';
import { errorTreeOf, hasErrorUnder } from '../api/failure.js';
import { scaffoldsQuery, useCollection } from '../api/queries.js';
import { useChanged } from '../api/use-changed.js';
import { useFieldErrors } from '../api/use-field-errors.js';
import { useConfirm } from '../design/confirm.js';
import { copyText } from '../design/copy-text.js';
import { ErrorDetails } from '../design/error-details.js';
import { LoadingForm } from '../design/loading-shapes.js';
import { SaveButtons } from '../design/save-buttons.js';
import { MoreMenu } from '../design/more-menu.js';
import { SidePanel } from '../design/side-panel.js';
import { FailedState } from '../design/states.js';
import { toastError, toastSuccess } from '../design/toast.js';
import { useLeaveQuestion } from '../design/use-leave-question.js';
import { reviewedChanges, type ReviewedChange } from './changes.js';
import { ChangesDialog } from './changes-dialog.js';
import { bodyOfDraft, draftOf, duplicateOf, renameCollection, slug, type CollectionDraft } from './collection-draft.js';
import type { PanelTarget } from './panel-target.js';
import { FieldsTab } from './fields-tab.js';
import { OptionsTab } from './options-tab.js';
import { QueryTab } from './query-tab.js';
import { RulesTab } from './rules-tab.js';

interface CollectionPanelProps {
  readonly target: PanelTarget;
  readonly onClose: () => void;
  readonly onSaved: (collection: CollectionModel) => void;
  readonly onDeleted: () => void;
  readonly onDuplicate: (collection: CollectionModel) => void;
}

const RULE_PATHS = ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule', 'authRule', 'manageRule'];
const OPTION_PATHS = [
  'passwordAuth',
  'oauth2',
  'otp',
  'mfa',
  'authAlert',
  'authToken',
  'passwordResetToken',
  'emailChangeToken',
  'verificationToken',
  'fileToken',
  'verificationTemplate',
  'resetPasswordTemplate',
  'confirmEmailChangeTemplate',
];

/** What stands on which tab. */
const TAB_PATHS: Readonly<Record<string, readonly string[]>> = {
  schema: ['fields', 'indexes', 'viewQuery'],
  rules: RULE_PATHS,
  options: OPTION_PATHS,
};

function TabLabel({ name, failed }: { name: string; failed: boolean }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 6 }}>
      {name}
      {failed ? <IconExclamationCircle size={15} color="var(--danger)" role="img" aria-label="has errors" /> : null}
    </span>
  );
}

/** Makes or edits a collection (UI-40). */
export function CollectionPanel({ target, onClose, onSaved, onDeleted, onDuplicate }: CollectionPanelProps) {
  const isNew = target.kind === 'new';
  const stored = useCollection(target.kind === 'edit' ? target.id : undefined);
  const scaffolds = useQuery({ ...scaffoldsQuery, enabled: isNew, refetchOnMount: true });
  const source = useMemo(() => {
    if (!isNew) return stored;
    if (target.from) return duplicateOf(target.from);
    return scaffolds.data?.base;
    // The target changes only together with a new panel.
  }, [isNew, stored, scaffolds.data, target]);
  const [base, setBase] = useState<CollectionModel | undefined>();
  const [draft, setDraft] = useState<CollectionDraft | null>(null);
  const [tab, setTab] = useState<string | null>('schema');
  const [busy, setBusy] = useState(false);
  const [acting, setActing] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [review, setReview] = useState<{ changes: ReviewedChange[]; stay: boolean } | null>(null);
  const errors = useFieldErrors();
  const confirm = useConfirm();
  const changed = useChanged();
  const queries = useQueryClient();

  useEffect(() => {
    if (!source || base) return;
    setBase(source);
    setDraft(draftOf(source));
  }, [source, base]);

  const dirty = useMemo(
    () =>
      Boolean(draft && base && JSON.stringify(bodyOfDraft(draft)) !== JSON.stringify(bodyOfDraft(draftOf(base)))) ||
      (isNew && Boolean(target.from)),
    [draft, base, isNew, target],
  );
  // What is saved or deleted may take the page elsewhere.
  useLeaveQuestion(dirty && !busy && !acting);
  const reset = () => {
    if (base) setDraft(draftOf(base));
    errors.reset();
    setFailure(null);
  };

  const send = async (stay: boolean) => {
    if (!draft) return;
    setReview(null);
    setBusy(true);
    setFailure(null);
    try {
      const body = bodyOfDraft(draft);
      const saved = (isNew
        ? await api.collections.create(body as never)
        : await api.collections.update(draft.collection.id, body as never)) as unknown as CollectionModel;
      errors.reset();
      toastSuccess(isNew ? 'Collection created.' : 'Collection saved.');
      await changed('collections');
      await queries.invalidateQueries({ queryKey: ['records', saved.id] });
      setBase(saved);
      setDraft(draftOf(saved));
      onSaved(saved);
      if (!stay) onClose();
    } catch (error) {
      errors.set(error);
      setFailure(error);
      toastError(error);
      const tree = errorTreeOf(error);
      const failed = Object.keys(TAB_PATHS).filter((name) =>
        TAB_PATHS[name]!.some((path) => hasErrorUnder(tree, path)),
      );
      if (failed.length && !failed.includes(tab ?? '')) setTab(failed[0]!);
      wantsFirstError.current = failed.length > 0;
    } finally {
      setBusy(false);
    }
  };
  // Once it is drawn: its tab and its field may have to be opened first.
  const wantsFirstError = useRef(false);
  const tabs = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = tabs.current?.querySelector('[aria-invalid="true"], [role="alert"], [data-invalid]');
    if (!wantsFirstError.current || !first) return;
    wantsFirstError.current = false;
    first.scrollIntoView({ block: 'center' });
  });
  const save = async (stay: boolean) => {
    if (!draft || busy) return;
    const changes = isNew || !base ? [] : reviewedChanges(base, draft);
    if (changes.length) setReview({ changes, stay });
    else await send(stay);
  };

  const changeType = (type: CollectionModel['type']) => {
    const scaffold = scaffolds.data?.[type];
    if (!scaffold || !draft) return;
    // Fields made already are taken along; those of the type come from its scaffold.
    const own = draft.fields.filter((each) => !each.field.system && each.field.name !== 'id');
    const next = draftOf({ ...structuredClone(scaffold), name: draft.collection.name });
    const dates = next.fields.filter((each) => each.field.type === 'autodate');
    setDraft({
      ...next,
      fields:
        type === 'view' ? [] : [...next.fields.filter((each) => each.field.type !== 'autodate'), ...own, ...dates],
    });
    setTab('schema');
  };

  const truncate = async () => {
    const name = stored!.name;
    if (
      !(await confirm({
        title: `Delete all records of ${name}?`,
        body: 'All its records and their files are gone for good, and so is what cascades from them.',
        action: 'Delete all records',
        danger: true,
        typed: name,
      }))
    )
      return;
    setActing(true);
    try {
      await api.collections.truncate(stored!.id);
      toastSuccess(`All records of ${name} were deleted.`);
      await queries.invalidateQueries({ queryKey: ['records'] });
      await queries.invalidateQueries({ queryKey: ['records-total'] });
    } catch (error) {
      toastError(error);
    } finally {
      setActing(false);
    }
  };
  const remove = async () => {
    const name = stored!.name;
    if (
      !(await confirm({
        title: `Delete the collection ${name}?`,
        body: 'Its records, files, rules and indexes are gone for good.',
        action: 'Delete collection',
        danger: true,
        typed: name,
      }))
    )
      return;
    setActing(true);
    try {
      await api.collections.delete(stored!.id);
      toastSuccess(`The collection ${name} was deleted.`);
      await changed('collections');
      onDeleted();
    } catch (error) {
      toastError(error);
    } finally {
      setActing(false);
    }
  };

  const tabProps = draft
    ? {
        draft,
        setDraft: (change: (draft: CollectionDraft) => CollectionDraft) =>
          setDraft((current) => (current ? change(current) : current)),
        errors,
        stored: isNew ? undefined : base,
      }
    : null;
  const type = draft?.collection.type ?? 'base';
  return (
    <SidePanel
      opened
      onClose={onClose}
      dirty={dirty}
      inputFirst={isNew}
      size={760}
      title={isNew ? 'New collection' : `Collection ${base?.name ?? ''}`}
      onSave={() => void save(true)}
      actions={
        stored ? (
          <MoreMenu busy={acting}>
            <Menu.Item
              leftSection={<IconCopy size={16} />}
              onClick={() => {
                void copyText(JSON.stringify(stored, null, 2), 'Copied as JSON.');
              }}
            >
              Copy JSON
            </Menu.Item>
            <Menu.Item leftSection={<IconCopyPlus size={16} />} onClick={() => onDuplicate(stored)}>
              Duplicate
            </Menu.Item>
            <Menu.Divider />
            {stored.type === 'view' || stored.name === '_superusers' ? null : (
              <Menu.Item data-danger leftSection={<IconEraser size={16} />} onClick={() => void truncate()}>
                Truncate
              </Menu.Item>
            )}
            {stored.system ? null : (
              <Menu.Item data-danger leftSection={<IconTrash size={16} />} onClick={() => void remove()}>
                Delete
              </Menu.Item>
            )}
          </MoreMenu>
        ) : null
      }
      footer={(close) => (
        <SaveButtons
          label={isNew ? 'Create' : 'Save'}
          resetLabel="Reset"
          dirty={dirty}
          busy={busy}
          canSave={draft !== null && dirty}
          canStay={!isNew}
          onReset={reset}
          onCancel={close}
          onSave={(stay) => void save(stay)}
        />
      )}
    >
      {isNew && scaffolds.isError ? (
        <FailedState error={scaffolds.error} onRetry={() => void scaffolds.refetch()} />
      ) : null}
      {draft && tabProps ? (
        <Stack gap={16}>
          <ErrorDetails error={failure} />
          <div style={{ display: 'flex', gap: 10, alignItems: 'flex-start' }}>
            <TextInput
              flex={1}
              label="Name"
              required
              // What a new one is made from may come after the panel has opened.
              autoFocus={isNew}
              data-autofocus={isNew || undefined}
              disabled={draft.collection.system}
              spellCheck={false}
              placeholder="for example: posts"
              value={draft.collection.name}
              error={errors.at('name')}
              onChange={(event) => {
                errors.clear('name');
                const name = slug(event.currentTarget.value);
                tabProps.setDraft((current) => renameCollection(current, name));
              }}
            />
            <Select
              label="Type"
              w={130}
              allowDeselect={false}
              disabled={!isNew || Boolean(target.kind === 'new' && target.from)}
              value={type}
              error={errors.at('type')}
              data={[
                { value: 'base', label: 'Base' },
                { value: 'auth', label: 'Auth' },
                { value: 'view', label: 'View' },
              ]}
              onChange={(value) => value && changeType(value as CollectionModel['type'])}
            />
          </div>
          <Tabs ref={tabs} value={tab} onChange={setTab} keepMounted={false}>
            <Tabs.List mb="md">
              <Tabs.Tab value="schema">
                <TabLabel
                  name={type === 'view' ? 'Query' : 'Fields'}
                  failed={errors.under('fields') || errors.under('indexes') || errors.under('viewQuery')}
                />
              </Tabs.Tab>
              <Tabs.Tab value="rules">
                <TabLabel name="API rules" failed={RULE_PATHS.some(errors.under)} />
              </Tabs.Tab>
              {type === 'auth' ? (
                <Tabs.Tab value="options">
                  <TabLabel name="Options" failed={OPTION_PATHS.some(errors.under)} />
                </Tabs.Tab>
              ) : null}
            </Tabs.List>
            <Tabs.Panel value="schema">
              {type === 'view' ? <QueryTab {...tabProps} /> : <FieldsTab {...tabProps} />}
            </Tabs.Panel>
            <Tabs.Panel value="rules">
              <RulesTab {...tabProps} />
            </Tabs.Panel>
            <Tabs.Panel value="options">{type === 'auth' ? <OptionsTab {...tabProps} /> : null}</Tabs.Panel>
          </Tabs>
        </Stack>
      ) : isNew && scaffolds.isError ? null : (
        <LoadingForm inputs={6} />
      )}
      {review ? (
        <ChangesDialog
          changes={review.changes}
          onCancel={() => setReview(null)}
          onConfirm={() => void send(review.stay)}
        />
      ) : null}
    </SidePanel>
  );
}
